import type { Dependencies } from '../outbox/index.ts'
import { newCall } from '../platform/call.ts'
import { applyCall, lastingProblemOf } from './apply-call.ts'
import { type KeptCall, keptCallsOf, keptCallsOfContacts, takeKeptCall } from './kept-call-queries.ts'

/** The number of kept calls that a worker applies at once. */
const PAGE = 100

/** Applies the calls that were kept for a user, now that a contact has the userId. */
export async function applyKeptCallsOf(dependencies: Dependencies, workspaceId: string, userId: string): Promise<void> {
  for (const kept of await keptCallsOf(dependencies.em.fork(), workspaceId, userId)) await applyKept(dependencies, kept)
}

/**
 * Applies kept calls whose user has become known in another way, or in the instant in which they were kept.
 * @returns whether there may be more
 */
export async function applyKeptCalls(dependencies: Dependencies): Promise<boolean> {
  const found = await keptCallsOfContacts(dependencies.em.fork(), PAGE)
  let applied = 0
  for (const kept of found) {
    try {
      await applyKept(dependencies, kept)
      applied += 1
    } catch (error) {
      // It does not delay the others, and is applied in the next round.
      dependencies.log.warn({ requestId: kept.requestId, error }, 'A kept call of a source could not be applied now')
    }
  }
  return found.length === PAGE && applied > 0
}

/** Applies a kept call once, in one transaction with its deletion. A call that can never be applied is deleted. */
async function applyKept(dependencies: Dependencies, { id, workspaceId, call: given, ...kept }: KeptCall) {
  const { em, log } = dependencies
  const call = { ...newCall(kept.requestId), id }
  try {
    await em.fork().transactional(async (unit) => {
      if (!(await takeKeptCall(unit, id))) return
      await applyCall({ ...dependencies, em: unit }, { workspaceId, ...kept.context }, given, call)
    })
  } catch (error) {
    // Throws if a repetition may succeed. The problem itself can name the contact.
    lastingProblemOf(error)
    log.warn({ requestId: kept.requestId, type: given.type }, 'A kept call of a source cannot be applied')
    await em.fork().transactional((unit) => takeKeptCall(unit, id))
  }
  for (const task of call.afterCommit) await task()
}
