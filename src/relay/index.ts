export { readFigures } from './figures-queries.ts'
export { startRelay } from './relay.ts'
export { reconcile, type Reconciliation } from './reconcile.ts'
export { enableSending, markRestored } from './restored.ts'
