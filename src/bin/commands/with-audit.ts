import { writeEntry } from '../../audit/index.ts'
import type { EntityManager } from '../../platform/db/orm.ts'
import { withDatabase } from './with-database.ts'

/**
 * Makes a change from the command line and writes its audit entries in the workspaces that it affects, in one transaction.
 *
 * @param operation the name of the same operation in the API
 * @param of returns the affected resources, given the result
 */
export const withAudit = <Result>(
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

/** Writes the audit entry of a change from the command line. */
export const auditCommand = (
  em: EntityManager,
  entry: { workspaceId: string; operation: string; targetId: string },
): Promise<void> =>
  writeEntry(em, {
    ...entry,
    actor: 'command line',
    actorId: null,
    actorName: 'command line',
    requestId: null,
    address: null,
  })
