import type { Dependencies } from '../outbox/index.ts'
import { COUNTED_CATEGORIES } from './categories.ts'
import { findRejected } from './queries.ts'
import { recordBounce, REJECTION } from './record-bounce.ts'
import { classifyBounce } from './verdict.ts'

/**
 * Records a bounce for a message that the mail server rejected, if its response says that the mailbox or its domain does not exist, or
 * that the mailbox is full or inactive. The same rules apply as to a bounce that arrives later. Idempotent.
 */
export async function recordRejection(dependencies: Dependencies, messageId: string): Promise<void> {
  const message = await findRejected(dependencies.em.fork(), messageId)
  if (!message) return
  const { kind, category, status } = classifyBounce(null, message.response)
  if (kind !== 'HARD' && !COUNTED_CATEGORIES.includes(category)) return
  const report = { kind, category, status, diagnostic: message.response, providerVerdict: null }
  await recordBounce(dependencies, message, { ...report, source: REJECTION, sourceId: null })
}
