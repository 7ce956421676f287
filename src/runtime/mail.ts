import { type Links } from '../signed-links/index.ts'
import { campaignSource } from '../campaigns/index.ts'
import { emailSource } from '../emails/index.ts'
import { stepSource } from '../enrollments/index.ts'
import { createLeaseKeeper, MessageStore, type Sender } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { Config } from '../platform/config.ts'
import { batch } from '../platform/batcher.ts'
import { createSecrets } from '../platform/secrets.ts'
import { takeSendTurns } from '../senders/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { createRenderer } from '../rendering/index.ts'
import {
  addressOfServer,
  adviceFor,
  createSmtpTransport,
  type MailTransport,
  type OnChange,
  ProviderPace,
  readSmtpUrl,
  type SmtpServer,
  traceDeliveries,
  withCircuitBreaker,
  withFailOver,
  withProviderPace,
  withSendRate,
} from '../smtp/index.ts'

/** Creates the message store for all kinds of messages. */
export const createMessageStore = (em: EntityManager): MessageStore =>
  new MessageStore(em, { step: stepSource, campaign: campaignSource, email: emailSource })

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
  requiresProof: config.REQUIRE_VERIFIED_DOMAINS,
  ...sender,
})

/** Lists the configured mail servers in order. */
export const mailServersOf = ({ SMTP_URL, smtpFallbackUrls }: Config): SmtpServer[] =>
  SMTP_URL ? [SMTP_URL, ...smtpFallbackUrls].map(readSmtpUrl) : []

/** Combines the mail servers in order: the next server gets what the previous one certainly did not send. */
function createTransports(
  config: Config,
  guard: (transport: MailTransport, server: string) => MailTransport,
): MailTransport | undefined {
  const servers = mailServersOf(config)
  if (servers.length === 0) return undefined
  return withFailOver(
    servers.map((server) =>
      guard(createSmtpTransport({ server, maxConnections: config.SMTP_CONNECTIONS }), addressOfServer(server)),
    ),
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
  const pace = new ProviderPace((provider, rate) => {
    if (rate === null) log.info({ provider }, 'A mailbox provider no longer limits how fast it gets mail')
    else
      log.warn(
        { provider, perSecond: Number(rate.toPrecision(2)) },
        'A mailbox provider says that it gets mail too fast; its emails are sent more slowly, others are not',
      )
  })
  const smtp = mail.smtp && withProviderPace(mail.smtp, pace)
  const tryServer = async () => {
    for (const { transport, server } of bare) {
      const failure = await transport.tryConnection()
      if (failure === undefined) log.info({ server }, 'The mail server responds and accepts the login')
      else
        log.warn(
          { server, reason: failure },
          `The mail server cannot be used; messages wait until it can. ${adviceFor(failure)}`,
        )
    }
  }
  const perSecond = config.SEND_RATE
  return {
    ...mail,
    /** Logs whether the servers accept the login, before there is anything to send. */
    tryServer,
    smtp:
      smtp &&
      (perSecond === undefined
        ? smtp
        : withSendRate(smtp, {
            perSecond,
            connections: config.SMTP_CONNECTIONS,
            takeTurn: createSendTurns(em, perSecond),
          })),
  }
}

/** Returns a function that takes a turn within a rate. @returns the milliseconds until then; `undefined` if it is not soon */
function createSendTurns(em: EntityManager, perSecond: number): () => Promise<number | undefined> {
  return batch<void, number | undefined>(
    () => '',
    async (wanted) => {
      const { count, waitMs } = await takeSendTurns(em.fork(), perSecond, wanted.length)
      return wanted.map((_turn, n) => (n < count ? waitMs + (n * 1_000) / perSecond : undefined))
    },
  )
}
