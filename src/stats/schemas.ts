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

const MAX_DAYS = 366
const DAYS = `days must be an integer from 1 to ${MAX_DAYS}`
const days = () =>
  number()
    .typeError(DAYS)
    .integer(DAYS)
    .min(1, DAYS)
    .max(MAX_DAYS, DAYS)
    .default(30)
    .meta({ description: 'The number of days (UTC), up to the current one.', example: 30 })

/** `GET /automations/{id}/report`. */
export const automationReportQuery = object({ days: days() })

const MAX_WINDOW_DAYS = 365
const WINDOW = `windowDays must be an integer from 1 to ${MAX_WINDOW_DAYS}`

/** `GET /automations/{id}/conversion`. */
export const conversionQuery = object({
  windowDays: number()
    .typeError(WINDOW)
    .integer(WINDOW)
    .min(1, WINDOW)
    .max(MAX_WINDOW_DAYS, WINDOW)
    .default(14)
    .meta({ description: 'The days after the enrollment in which the goal counts.', example: 14 }),
})

const MAX_HOURS = 720
const HOURS = `hours must be an integer from 1 to ${MAX_HOURS}`

/** `GET /reports/transactional`. */
export const transactionalQuery = object({
  hours: number()
    .typeError(HOURS)
    .integer(HOURS)
    .min(1, HOURS)
    .max(MAX_HOURS, HOURS)
    .default(24)
    .meta({ description: 'The number of hours, up to now.', example: 24 }),
})

/** `GET /reports/domains`. */
export const domainsReportQuery = object({
  days: days(),
  limit: pageLimit(),
  domain: text().max(255).meta({ description: 'Only this domain.', example: 'gmail.com' }),
})
