import { number, object, string } from 'yup'
import { EXAMPLE_ID, instant, pageLimit, text } from '../http/index.ts'

/** Maximum number of automations in a request, and of intervals in a flow. */
export const MAX_AUTOMATIONS = 100
export const MAX_INTERVALS = 1_000

/** `GET /automations/stats`. */
export const automationStatsQuery = object({
  ids: string()
    .required()
    .min(1)
    .max(37 * MAX_AUTOMATIONS)
    .meta({
      description: `The IDs of up to ${MAX_AUTOMATIONS} automations, separated by commas.`,
      example: EXAMPLE_ID,
    }),
})

const QUARTER = 'minutes must be a multiple of 15, from 15 to 44640'

/** `GET /flow`. */
export const flowQuery = object({
  since: instant('Start of the first interval: a quarter of an hour.').required(),
  until: instant('End of the last interval.').required(),
  minutes: number()
    .typeError(QUARTER)
    .min(15, QUARTER)
    .max(44_640, QUARTER)
    .test({ name: 'quarters', message: QUARTER, test: (value) => value === undefined || value % 15 === 0 })
    .default(60)
    .meta({ description: 'Length of an interval, in minutes.', example: 360, json: { multipleOf: 15 } }),
})

/** An integer parameter from 1 to a maximum. */
function upTo(name: string, max: number, { standard, description }: { standard: number; description: string }) {
  const problem = `${name} must be an integer from 1 to ${max}`
  return number()
    .typeError(problem)
    .integer(problem)
    .min(1, problem)
    .max(max, problem)
    .default(standard)
    .meta({ description, example: standard })
}

const days = () => upTo('days', 366, { standard: 30, description: 'The number of days (UTC), up to the current one.' })

/** `GET /automations/{id}/report`. */
export const automationReportQuery = object({ days: days() })

/** `GET /automations/{id}/conversion`. */
export const conversionQuery = object({
  windowDays: upTo('windowDays', 365, {
    standard: 14,
    description: 'The days after the enrollment in which the goal counts.',
  }),
})

/** `GET /reports/transactional`. */
export const transactionalQuery = object({
  hours: upTo('hours', 720, { standard: 24, description: 'The number of hours, up to now.' }),
})

/** `GET /reports/domains`. */
export const domainsReportQuery = object({
  days: days(),
  limit: pageLimit(),
  domain: text().max(255).meta({ description: 'Only this domain.', example: 'gmail.com' }),
})
