import type { EntityManager } from '../platform/db/orm.ts'
import { Refusal } from '../platform/refusal.ts'
import { countGuess } from './queries.ts'
import { TOO_MANY_TEST_EMAILS } from './refusals.ts'

/** In any 60 seconds, of an account: nobody has proven that its address is theirs. */
const MOST = 10

/** @throws {Refusal} `too_many_test_emails` */
export async function assertFewTestEmails(em: EntityManager, accountId: string): Promise<void> {
  const { allowed, retryAfter } = await countGuess(em.fork(), `test email ${accountId}`, MOST)
  if (allowed) return
  const message = `Ten test emails a minute are enough to look at. Retry after ${retryAfter} seconds.`
  throw new Refusal(TOO_MANY_TEST_EMAILS, { message, retryAfter })
}
