import { readMailSender, setMailSender } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'

/** The sender of captured mail, visible only in the Message-ID. */
const CAPTURE_SENDER = 'Dripline <dripline@localhost.localdomain>'

/** The error if mail should be delivered but no process has set a sender: a wrong sender would be worse than none. */
export const NO_SENDER =
  'Mail should be delivered, but no sender is set. Set MAIL_FROM to the sender, ' +
  "such as MAIL_FROM='Me <me@example.com>'; this instance remembers it."

/**
 * Agrees with the other processes of the instance on the sender. A process with MAIL_FROM sets it for all, and processes without
 * it use that one. A different value replaces the sender and is logged, because it may be a mistake.
 *
 * @param sender.delivers whether this process should deliver mail, which requires a sender
 * @throws {Error} that says what to set
 */
export async function agreeOnSender(
  em: EntityManager,
  log: Log,
  { mailFrom, delivers }: { mailFrom: string | undefined; delivers: boolean },
): Promise<string> {
  const unit = em.fork()
  const before = await readMailSender(unit)
  if (mailFrom === undefined) {
    if (before === null && delivers) throw new Error(NO_SENDER)
    return before ?? CAPTURE_SENDER
  }
  if (before === mailFrom) return mailFrom
  await setMailSender(unit, mailFrom)
  if (before !== null) log.warn({}, CHANGED)
  return mailFrom
}

const CHANGED =
  'MAIL_FROM differs from the sender that this instance used, and replaces it; ' +
  'running processes keep the former sender until they are restarted'
