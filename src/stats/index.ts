export { recentCounts } from './queries.ts'
