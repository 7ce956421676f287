import { setDelivered } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { insertWebhookCall, type ReportedMessage } from './queries.ts'
import type { RecordResult } from './record-bounce.ts'

/**
 * Records that the recipient's mail server accepted a message, once per message.
 *
 * A provider that reports only the recipient may repeat the call. Its ID is stored, so that the repetition does not count for
 * another message to the address.
 */
export async function recordDelivery(
  { em, log }: Dependencies,
  { id, workspaceId, isUnderWay, isIdentified }: ReportedMessage,
  { source, sourceId }: { source: string; sourceId: string | null },
): Promise<RecordResult> {
  if (isUnderWay) return 'later'
  const isNew = await em.fork().transactional(async (unit) => {
    if (!isIdentified && sourceId !== null && !(await insertWebhookCall(unit, workspaceId, source, sourceId)))
      return false
    return setDelivered(unit, id)
  })
  if (!isNew) return 'known'
  log.debug({ messageId: id, workspaceId, source }, 'Recorded a delivery')
  return 'recorded'
}
