export { readGrowth } from './growth-queries.ts'
export { recentCounts } from './queries.ts'
export { type CounterDifference, counterDifferences, recountCounters } from './recount.ts'
