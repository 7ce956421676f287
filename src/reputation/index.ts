export {
  JUDGED_DAYS,
  judgeReputation,
  outcomesOf,
  REPUTATION_RULES,
  type ReputationFinding,
  type ToleratedRates,
  toleratedRates,
} from './limits.ts'
export { presentReputation, reputationResponse } from './responses.ts'
