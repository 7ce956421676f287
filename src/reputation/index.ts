export { JUDGED_DAYS, judgeReputation, outcomesOf, type ToleratedRates, toleratedRates } from './limits.ts'
export { presentReputation, reputationResponse } from './responses.ts'
