import type { Dependencies } from '../outbox/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { newCall } from '../platform/call.ts'
import { violatedConstraint } from '../platform/db/errors.ts'
import { applyCall } from './apply-call.ts'
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
  for (const kept of found) await applyKept(dependencies, kept)
  return found.length === PAGE
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
    if (!(error instanceof ApiError) && violatedConstraint(error) === undefined) throw error
    const code = error instanceof ApiError ? error.code : violatedConstraint(error)
    log.warn({ requestId: kept.requestId, code, type: given.type }, 'A kept call of a source cannot be applied')
    await em.fork().transactional((unit) => takeKeptCall(unit, id))
  }
  for (const task of call.afterCommit) await task()
}
