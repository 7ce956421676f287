import { readConfig } from '../../platform/config.ts'
import { openLog } from '../../platform/log.ts'
import { openContext } from '../../runtime/context.ts'
import { findTemporalBindingProblem } from '../../instance/index.ts'
import { readConfiguredTemporalBinding } from '../../runtime/temporal-namespace.ts'
import { enableSending, markRestored, reconcile, type Reconciliation } from '../../relay/index.ts'
import { connectedConfig } from '../embedded-config.ts'
import { withDatabase } from './with-database.ts'

/**
 * Compares the whole database with Temporal. @see reconcile
 * @throws {Error} that states what to configure if this is not the instance's Temporal: reconciling would end the workflows of
 * other instances
 */
export async function reconcileAll(options: {
  isDry: boolean
  lostUntil: Date | null | undefined
}): Promise<Reconciliation> {
  const config = connectedConfig(readConfig(process.env))
  // The result is printed at the end, so the log would only repeat it.
  const context = openContext(config, openLog('error'))
  try {
    const problem = await findTemporalBindingProblem(context.orm.em, await readConfiguredTemporalBinding(context))
    if (problem !== undefined) throw new Error(problem)
    return await reconcile(context.dependencies, options)
  } finally {
    await context.close()
  }
}

/** @see enableSending */
export const enableSendingAfterRestore = (lostUntil: Date | null | undefined): Promise<boolean> =>
  withDatabase(({ em }) => enableSending(em, lostUntil))

/** Disables sending until the database is reconciled. For databases that were restored by other means. */
export const disableSending = (): Promise<void> => withDatabase(({ em }) => markRestored(em))
