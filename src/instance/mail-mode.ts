import { readMailMode, setMailMode, type MailMode } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'

/** The mail mode that a process requests. MAIL_CAPTURE overrides SMTP_URL. */
export const mailModeOf = ({ smtp, capture }: { smtp: boolean; capture: boolean }): MailMode =>
  smtp && !capture ? 'smtp' : 'capture'

/**
 * Agrees with the other processes of the instance on the mail mode. A process with SMTP_URL enables delivery for all. From then
 * on, a process that would capture mail does not start, because a captured email is never delivered.
 *
 * @throws {Error} that says what to set
 */
export async function agreeOnMail(
  em: EntityManager,
  { smtp, capture }: { smtp: boolean; capture: boolean },
  log?: Log,
): Promise<MailMode> {
  const mail = mailModeOf({ smtp, capture })
  const before = await readMailMode(em.fork())
  if (!(await setMailMode(em.fork(), { mail, isOrder: capture }))) {
    throw new Error(`${CANNOT_DELIVER} Set SMTP_URL, or MAIL_CAPTURE=true to stop the delivery of mail.`)
  }
  if (before !== null && before !== mail) log?.warn({}, CHANGED[mail])
  return mail
}

const CHANGED: Record<MailMode, string> = {
  capture: 'From now on, all processes of this instance capture mail and deliver none: MAIL_CAPTURE is set',
  smtp: 'From now on, all processes of this instance deliver mail over SMTP: SMTP_URL is set',
}

/** The error of a process without a mail server, in an instance that delivers mail. */
export const CANNOT_DELIVER =
  'This instance delivers its mail over SMTP, but SMTP_URL is not set, so this process cannot deliver.'
