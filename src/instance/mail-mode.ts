import { readMailMode, sayMailMode, type MailMode } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'

/** How a part would have live mail leave the installation: MAIL_CAPTURE goes before SMTP_URL. */
export const mailModeOf = ({ smtp, capture }: { smtp: boolean; capture: boolean }): MailMode =>
  smtp && !capture ? 'smtp' : 'capture'

/**
 * Agrees with the other parts of the installation on how live mail leaves it. Whoever sets SMTP_URL says for all that it is
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
  if (!(await sayMailMode(em.fork(), { mail, isOrder: capture }))) {
    throw new Error(`${CANNOT_DELIVER} Set SMTP_URL, or MAIL_CAPTURE=true to deliver no mail from now on.`)
  }
  if (before !== null && before !== mail) log?.warn({}, CHANGED[mail])
  return mail
}

const CHANGED: Record<MailMode, string> = {
  capture:
    'From now on this installation captures its mail and delivers none, in all of its parts: MAIL_CAPTURE is set here',
  smtp: 'From now on this installation delivers its mail over SMTP, in all of its parts: SMTP_URL is set here',
}

const CANNOT_DELIVER =
  'This installation delivers its mail over SMTP, and SMTP_URL is not set here: what this process takes, it cannot deliver.'

const CAPTURED_ELSEWHERE =
  'This installation captures its mail and delivers none: another part of it was started with MAIL_CAPTURE=true. Start one with ' +
  'SMTP_URL and without that, and it is delivered again'

/** How often a running part looks again, in milliseconds. */
const LOOK_MS = 15_000

export interface MailWatch {
  /** Says so, when the installation has come to deliver its mail and this part cannot. */
  problem(): string | undefined
  stop(): void
}

/**
 * Looks again and again at what the installation says: a part without SMTP_URL may have started right before the first one
 * with it. Nothing is lost by that, because each email asks, too, and is put off; but it should not go on for long.
 */
export function watchMailMode(
  em: EntityManager,
  { smtp, lookMs = LOOK_MS, log }: { smtp: boolean; lookMs?: number; log?: Log },
): MailWatch {
  let said: MailMode | null = null
  const look = async () => {
    const before = said
    // Where Postgres is away, what it said last is true.
    said = await readMailMode(em.fork()).catch(() => said)
    if (smtp && said === 'capture' && before !== 'capture') log?.warn({}, CAPTURED_ELSEWHERE)
    if (smtp && said === 'smtp' && before === 'capture') log?.info({}, 'Mail is delivered again')
  }
  const timer = setInterval(() => void look(), lookMs).unref()
  return {
    problem: () => (said === 'smtp' && !smtp ? CANNOT_DELIVER : undefined),
    stop: () => clearInterval(timer),
  }
}
