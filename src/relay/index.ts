export { readOperationalStats } from './stats-queries.ts'
export { startRelay } from './relay.ts'
export { reconcile, type Reconciliation } from './reconcile.ts'
export { enableSending, markRestored } from './restored.ts'
