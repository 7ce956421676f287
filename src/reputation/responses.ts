import { array, boolean, number, object, string, type InferType } from 'yup'
import type { ResultCounts } from '../messages/index.ts'
import { judgeReputation, outcomesOf, REPUTATION_RULES } from './limits.ts'

/** The high rates in a report. */
export const reputationResponse = array()
  .of(
    object({
      rule: string().oneOf(REPUTATION_RULES).required().meta({ example: 'COMPLAINTS' }),
      isTooHigh: boolean().required().meta({
        description: 'Whether the rate is above the limit at which Dripline pauses; otherwise, it is a warning.',
        example: false,
      }),
      rate: number().required().meta({ description: 'A share of the emails, from 0 to 1.', example: 0.0015 }),
      text: string().defined().meta({ example: '0.15 % of its emails were reported as spam; the limit is 0.3 %' }),
    })
      .required()
      .meta({ component: 'ReputationFinding' }),
  )
  .required()
  .meta({ description: 'Rates that harm the reputation of the sender. Empty if all are low.' })

export const presentReputation = (counts: ResultCounts): InferType<typeof reputationResponse> =>
  judgeReputation(outcomesOf(counts))
