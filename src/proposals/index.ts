export { Proposal } from './entities.ts'
export { deleteOldProposals } from './queries.ts'
