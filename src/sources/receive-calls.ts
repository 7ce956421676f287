import type { Dependencies } from '../outbox/index.ts'
import { type Call, newCall } from '../platform/call.ts'
import { applyCall, eventIdOf, lastingProblemOf, timeOf, UnknownUser } from './apply-call.ts'
import { applyKeptCallsOf } from './apply-kept-calls.ts'
import { keepCall } from './kept-call-queries.ts'
import { IGNORED_TYPES, type SourceCall } from './schemas.ts'
import type { SourceContext } from './source-context.ts'

export interface ReceivedCalls {
  ignored: number
  /** The number of calls of unknown users, which are applied when their user becomes known. */
  kept: number
  errors: { index: number; error: string }[]
}

/**
 * Applies calls in their order, each in its own transaction. A call that cannot be applied does not affect the others. One of a user
 * that is not known yet is kept: libraries send `identify` and `track` of a new user in requests that overtake each other.
 *
 * An error that a repetition may avoid ends the request. The sender repeats all calls then: those that were applied do nothing
 * again.
 */
export async function receiveCalls(
  dependencies: Dependencies,
  context: SourceContext,
  calls: readonly { index: number; input: SourceCall }[],
  { id, requestId }: Call,
): Promise<ReceivedCalls> {
  const seen = new Set<string>()
  const errors: ReceivedCalls['errors'] = []
  let ignored = 0
  let kept = 0
  for (const { index, input } of calls) {
    // A request with an Idempotency-Key has the same ID when it is repeated.
    const messageId = ('messageId' in input && input.messageId) || `${id} ${index}`
    if (isIgnored(input) || seen.has(messageId)) {
      ignored += 1
      continue
    }
    const call = { ...newCall(requestId), id: eventIdOf(context.workspaceId, messageId) }
    try {
      await dependencies.em.fork().transactional((em) => applyCall({ ...dependencies, em }, context, input, call))
    } catch (error) {
      if (
        error instanceof UnknownUser &&
        (await keep(dependencies, context, input, { ...call, userId: error.userId }))
      ) {
        kept += 1
        seen.add(messageId)
      } else errors.push({ index, error: lastingProblemOf(error) })
      continue
    }
    seen.add(messageId)
    for (const task of call.afterCommit) await task()
    if ((input.type === 'identify' || input.type === 'alias') && input.userId)
      await applyKeptCallsOf(dependencies, context.workspaceId, input.userId)
  }
  return { ignored, kept, errors }
}

const keep = (
  { em }: Dependencies,
  { workspaceId, ...context }: SourceContext,
  input: SourceCall,
  { id, requestId, userId }: Pick<Call, 'id' | 'requestId'> & { userId: string },
): Promise<boolean> => keepCall(em.fork(), { id, workspaceId, userId, call: timed(input), context, requestId })

/** A kept identify call is older than those that arrive before it is applied. */
const timed = (input: SourceCall): SourceCall =>
  input.type === 'identify' ? { ...input, timestamp: timeOf(input.timestamp).toISOString() } : input

const isIgnored = ({ type }: SourceCall): boolean => (IGNORED_TYPES as readonly string[]).includes(type)
