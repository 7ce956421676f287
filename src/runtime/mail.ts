import { type Links } from '../signed-links/index.ts'
import { campaignSource } from '../campaigns/index.ts'
import { stepSource } from '../enrollments/index.ts'
import { createLeaseKeeper, MessageStore, type Sender } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { Config } from '../platform/config.ts'
import { createSecrets } from '../platform/secrets.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { createRenderer } from '../rendering/index.ts'
import {
  addressOfServer,
  adviceFor,
  createSmtpTransport,
  type MailTransport,
  type OnChange,
  readSmtpUrl,
  traceDeliveries,
  withCircuitBreaker,
  withFailOver,
} from '../smtp/index.ts'

/** Creates the message store for all kinds of messages. */
export const createMessageStore = (em: EntityManager): MessageStore =>
  new MessageStore(em, { step: stepSource, campaign: campaignSource })

/** Creates the mail modules as configured. @param sender the sender that the processes of the instance agreed on */
export const createMail = <MailFrom extends string | null>(
  config: Config,
  em: EntityManager,
  sender: { mailFrom: MailFrom; links: Links },
  guard: (transport: MailTransport, server: string) => MailTransport = (transport) => transport,
) => ({
  smtp: createTransports(config, guard),
  renderer: createRenderer(),
  leases: createLeaseKeeper(em),
  store: createMessageStore(em),
  secrets: createSecrets(config.SECRETS_KEY),
  ...sender,
})

/** Combines the mail servers in order: the next server gets what the previous one certainly did not send. */
function createTransports(
  { SMTP_URL, smtpFallbackUrls, SMTP_CONNECTIONS: maxConnections }: Config,
  guard: (transport: MailTransport, server: string) => MailTransport,
): MailTransport | undefined {
  if (!SMTP_URL) return undefined
  return withFailOver(
    [SMTP_URL, ...smtpFallbackUrls].map((url) => {
      const server = readSmtpUrl(url)
      return guard(createSmtpTransport({ server, maxConnections }), addressOfServer(server))
    }),
  )
}

/** Creates the mail modules of a worker, with a circuit breaker and log messages about the server. */
export function createWorkersMail(config: Config, { em, log, metrics }: Dependencies, sender: Omit<Sender, 'secrets'>) {
  const open = new Set<string>()
  const onChangeOf =
    (server: string): OnChange =>
    (isOpen, reason) => {
      if (isOpen) open.add(server)
      else open.delete(server)
      metrics.mailCircuitOpen(open.size > 0)
      const wait = config.smtpFallbackUrls.length > 0 ? 'messages go to the next server, or wait' : 'messages wait'
      if (isOpen)
        log.warn({ server, reason }, `The mail server keeps failing; ${wait}, and one message at a time tries it`)
      else log.info({ server }, 'The mail server works again')
    }
  const bare: { transport: MailTransport; server: string }[] = []
  const mail = createMail(config, em, sender, (transport, server) => {
    bare.push({ transport, server })
    return withCircuitBreaker(traceDeliveries(transport), onChangeOf(server))
  })
  const { smtp } = mail
  const tryServer = async () => {
    for (const { transport, server } of bare) {
      const failure = await transport.tryConnection()
      if (failure === undefined) log.info({ server }, 'The mail server responds and accepts the login')
      else
        log.warn(
          { server, reason: failure },
          `The mail server rejects the login; messages wait until it accepts it. ${adviceFor(failure)}`,
        )
    }
  }
  // The rate limit is enforced by the sending queue. If there is one, all emails go through the queue.
  return {
    ...mail,
    /** Logs whether the servers accept the login, before there is anything to send. */
    tryServer,
    smtp: smtp && (config.SEND_RATE === undefined ? smtp : { ...smtp, permitSoon: () => Promise.resolve(undefined) }),
  }
}
