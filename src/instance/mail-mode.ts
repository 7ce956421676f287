import { readMailMode, setMailMode, type MailMode } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'

/** How a part would have live mail leave the instance: MAIL_CAPTURE goes before SMTP_URL. */
export const mailModeOf = ({ smtp, capture }: { smtp: boolean; capture: boolean }): MailMode =>
  smtp && !capture ? 'smtp' : 'capture'

/**
 * Agrees with the other parts of the instance on how live mail leaves it. Whoever sets SMTP_URL says for all that it is
 * delivered; a part that would capture it then is not started, because what one part captures, no other ever delivers.
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
    throw new Error(`${CANNOT_DELIVER} Set SMTP_URL, or MAIL_CAPTURE=true to deliver no mail from now on.`)
  }
  if (before !== null && before !== mail) log?.warn({}, CHANGED[mail])
  return mail
}

const CHANGED: Record<MailMode, string> = {
  capture:
    'From now on this instance captures its mail and delivers none, in all of its parts: MAIL_CAPTURE is set here',
  smtp: 'From now on this instance delivers its mail over SMTP, in all of its parts: SMTP_URL is set here',
}

/** Why a process without a mail server cannot work for an instance that delivers. */
export const CANNOT_DELIVER =
  'This instance delivers its mail over SMTP, and SMTP_URL is not set here: what this process takes, it cannot deliver.'
