export { eraseRest } from './queries.ts'
