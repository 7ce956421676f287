import { readMailSender, setMailSender } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'

/** Whose mail nobody delivers: of what is captured, only the Message-ID shows it. */
const NOBODY = 'Dripline <dripline@localhost.localdomain>'

/** Said where mail is to be delivered and nobody has ever chosen from whom: no sender is better than a wrong one. */
export const NO_SENDER =
  'Mail is to be delivered, and nobody has said from whom. Set MAIL_FROM to the sender, ' +
  "such as MAIL_FROM='Me <me@example.com>'; this instance remembers it."

/**
 * Agrees with the other parts of the instance on the sender. Whoever sets MAIL_FROM says it for all, and a part without
 * it sends as they do. One that says another is believed, because that is how a sender is changed; the log tells it, because
 * it may also be a mistake.
 *
 * @param sender.delivers whether this part is to deliver mail: then there has to be a sender.
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
    return before ?? NOBODY
  }
  if (before === mailFrom) return mailFrom
  await setMailSender(unit, mailFrom)
  if (before !== null) log.warn({}, CHANGED)
  return mailFrom
}

const CHANGED =
  'MAIL_FROM is another sender than the one by which this instance delivered, and is its sender from now on; ' +
  'parts that were started before keep the former one until they are started again'
