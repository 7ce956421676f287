import { type Links } from '../installation/index.ts'
import { createLeaseKeeper, type Sender } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { Config } from '../platform/config.ts'
import { createSecrets } from '../platform/secrets.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { createRenderer } from '../rendering/index.ts'
import {
  addressOfServer,
  adviceFor,
  createSmtpTransport,
  type OnChange,
  readSmtpUrl,
  traceDeliveries,
  withCircuitBreaker,
} from '../transports/index.ts'

/** What sends mail, as configured. @param sender what the parts of the installation have agreed on. */
export const createMail = <MailFrom extends string | null>(
  { SMTP_URL, SMTP_CONNECTIONS, SECRETS_KEY }: Config,
  em: EntityManager,
  sender: { mailFrom: MailFrom; links: Links },
) => ({
  smtp: SMTP_URL ? createSmtpTransport({ server: readSmtpUrl(SMTP_URL), maxConnections: SMTP_CONNECTIONS }) : undefined,
  renderer: createRenderer(),
  leases: createLeaseKeeper(em),
  secrets: createSecrets(SECRETS_KEY),
  ...sender,
})

/** The same for a worker, whose circuit to a mail server that fails opens, and who says so. */
export function createWorkersMail(config: Config, { em, log, metrics }: Dependencies, sender: Omit<Sender, 'secrets'>) {
  const mail = createMail(config, em, sender)
  const server = config.SMTP_URL && addressOfServer(readSmtpUrl(config.SMTP_URL))
  const open = new Set<string | undefined>()
  const onChange: OnChange = (isOpen, reason, workspaceId) => {
    if (isOpen) open.add(workspaceId)
    else open.delete(workspaceId)
    metrics.mailCircuitOpen(open.size > 0)
    const whose = workspaceId === undefined ? '' : ' for a workspace'
    if (isOpen)
      log.warn(
        { server, reason, workspaceId },
        `The mail server fails${whose}; messages wait, and one at a time tries it`,
      )
    else log.info({ server, workspaceId }, `The mail server is back${whose}`)
  }
  const smtp = mail.smtp && withCircuitBreaker(traceDeliveries(mail.smtp), onChange)
  const tryServer = async () => {
    if (!mail.smtp) return
    const failure = await mail.smtp.tryConnection()
    if (failure === undefined) log.info({ server }, 'The mail server is there and lets us in')
    else
      log.warn(
        { server, reason: failure },
        `The mail server does not let us in; messages wait until it does. ${adviceFor(failure)}`,
      )
  }
  // The rate is kept by the queue in which emails wait: with one, all of them go through it.
  return {
    ...mail,
    /** Says whether the server lets us in, before there is anything to send. */
    tryServer,
    smtp: smtp && (config.SEND_RATE === undefined ? smtp : { ...smtp, permitSoon: () => Promise.resolve(undefined) }),
  }
}
