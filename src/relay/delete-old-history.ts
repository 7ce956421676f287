import { deleteOldEmails } from '../emails/index.ts'
import { deleteOldMessages } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { deleteOldProposals } from '../proposals/index.ts'
import { deleteOldRequests } from '../request-log/index.ts'
import { deleteOldRuns } from '../steps/index.ts'
import { workspacesWithHistoryLimit } from '../workspaces/index.ts'

/**
 * Deletes messages and step runs that are older than their workspace keeps them, old requests and old proposals. Enrollments stay: entry rules and
 * the deduplication of events need them.
 *
 * @param limit rows of each table and workspace
 * @returns whether there may be more
 */
export async function deleteOldHistory(em: EntityManager, limit: number): Promise<boolean> {
  let mayBeMore = (await deleteOldRequests(em.fork(), limit)) >= limit
  if ((await deleteOldProposals(em.fork(), limit)) === limit) mayBeMore = true
  for (const { id, historyRetentionDays } of await workspacesWithHistoryLimit(em.fork())) {
    // Emails after their messages: an email without one is deleted.
    for (const deleteOld of [deleteOldRuns, deleteOldMessages, deleteOldEmails])
      if ((await deleteOld(em.fork(), id, historyRetentionDays!, limit)) >= limit) mayBeMore = true
  }
  return mayBeMore
}
