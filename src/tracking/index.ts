export { MessageVisit } from './entities.ts'
export { visitPages } from './pages.ts'
export { decideVisits } from './queries.ts'
