export { readFigures } from './figures-queries.ts'
export { startRelay } from './relay.ts'
