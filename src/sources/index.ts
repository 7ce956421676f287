export { applyKeptCalls } from './apply-kept-calls.ts'
export { IdentifiedContact, KeptCall } from './entities.ts'
export { deleteOldKeptCalls } from './kept-call-queries.ts'
