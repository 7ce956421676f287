import { writeEntry } from '../../audit/index.ts'
import type { EntityManager } from '../../platform/db/orm.ts'
import { withDatabase } from './with-database.ts'

/**
 * Changes something at the command line, and tells of it in the audit log of the workspaces that it concerns, in one transaction.
 *
 * @param operation as the API's description calls the same
 * @param of what it concerns, of what was done
 */
export const told = <Result>(
  operation: string,
  change: (transaction: EntityManager) => Promise<Result>,
  of: (result: Result) => { workspaceIds: readonly string[]; targetId: string },
): Promise<Result> =>
  withDatabase((orm) =>
    orm.em.fork().transactional(async (transaction) => {
      const result = await change(transaction)
      const { workspaceIds, targetId } = of(result)
      for (const workspaceId of workspaceIds) await auditCommand(transaction, { workspaceId, operation, targetId })
      return result
    }),
  )

/** Tells of what the command line has changed. */
export const auditCommand = (
  em: EntityManager,
  entry: { workspaceId: string; operation: string; targetId: string },
): Promise<void> =>
  writeEntry(em, { ...entry, actor: 'command line', actorId: null, actorName: 'command line', requestId: null })
