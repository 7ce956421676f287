import { array, number, object, string } from 'yup'
import { MAX_DELAY_MINUTES, type WaitTarget, WEEKDAYS } from '../../automation-engine/index.ts'
import { text } from '../../http/index.ts'
import { isLocalTime, isTimeZone } from '../../platform/time-zone.ts'
import { presentCommon, stepInputOf, stepResponseOf } from './fields.ts'
import type { AutomationStepType, StepBase } from './step-type.ts'

export interface WaitUntilStep extends StepBase<'WAIT_UNTIL'> {
  until: WaitTarget
  /** `contact`, or an IANA name. */
  timezone: string
  ifPast: 'continue' | 'exit'
}

export interface WaitUntilInput {
  id?: string | undefined
  type: 'WAIT_UNTIL'
  name?: string | null | undefined
  until: WaitTarget
  timezone?: string | undefined
  ifPast?: 'continue' | 'exit' | undefined
}

/** The fields that can hold a date. */
const DATE_FIELD = /^(contact\.metadata\.[^\u0000]{1,200}|contact\.createdAt|event\.data\.[^\u0000]{1,200})$/ // eslint-disable-line no-control-regex -- Postgres cannot store NUL
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/

const target = () =>
  object({
    at: text()
      .test({
        name: 'local-time',
        message: ({ path }) => `${path} must be a local date and time such as 2026-12-24T09:00`,
        test: (value) => value === undefined || isLocalTime(value),
      })
      .meta({ description: 'A local date and time, without an offset.', example: '2026-12-24T09:00' }),
    field: text()
      .matches(DATE_FIELD, ({ path }) => `${path} must be contact.createdAt, contact.metadata.KEY or event.data.KEY`)
      .meta({
        description:
          'A field with a date or a time (ISO 8601): contact.createdAt, contact.metadata.KEY or event.data.KEY. A date alone ' +
          'means midnight in the time zone. A missing field, or a text that is not a date, counts as past.',
      }),
    offsetMinutes: number()
      .integer()
      .min(-MAX_DELAY_MINUTES)
      .max(MAX_DELAY_MINUTES)
      .meta({ description: 'Minutes after the field; negative for before.' }),
    timeOfDay: text()
      .matches(TIME_OF_DAY, ({ path }) => `${path} must be a time of day such as 09:00`)
      .meta({ description: 'Moves the time to the first such time of day from then on.', example: '09:00' }),
    weekdays: array()
      .of(string().oneOf(WEEKDAYS).required())
      .min(1)
      .max(WEEKDAYS.length)
      .meta({ description: 'Moves the time to the first such weekday.', example: ['MON', 'TUE', 'WED', 'THU', 'FRI'] }),
  })
    .required()
    .test({
      name: 'target',
      test({ at, field, offsetMinutes, timeOfDay, weekdays }, { path, createError }) {
        const problem =
          at !== undefined && field !== undefined
            ? 'must not have both at and field'
            : at === undefined && field === undefined && timeOfDay === undefined && weekdays === undefined
              ? 'must have at least one of: at, field, timeOfDay, weekdays'
              : offsetMinutes !== undefined && field === undefined
                ? 'must have a field if it has offsetMinutes'
                : undefined
        return problem === undefined || createError({ message: `${path} ${problem}` })
      },
    })

const timezone = () =>
  text()
    .test({
      name: 'timezone',
      message: ({ path }) => `${path} must be contact, or a time zone such as Europe/Berlin`,
      test: (value) => value === undefined || value === 'contact' || isTimeZone(value),
    })
    .meta({
      description:
        "A time zone, or `contact` for metadata.timezone of the contact, and the workspace's zone if that is no time zone.",
      example: 'contact',
    })
const ifPast = () =>
  string()
    .oneOf(['continue', 'exit'] as const)
    .meta({ description: 'What happens if the time has passed.', example: 'continue' })

/** Waits for a date or a time of day. */
export const waitUntil: AutomationStepType<'WAIT_UNTIL', WaitUntilStep, WaitUntilInput> = {
  input: stepInputOf('WAIT_UNTIL', { until: target(), timezone: timezone(), ifPast: ifPast() }).meta({
    component: 'WaitUntilStepInput',
    description: 'Waits for a date, or for the next time of day or weekday.',
  }),
  shape: stepResponseOf('WAIT_UNTIL', {
    until: target(),
    timezone: timezone().required(),
    ifPast: ifPast().required(),
  }).meta({ component: 'WaitUntilStep', description: 'Waits for a date, or for the next time of day or weekday.' }),
  fromInput: ({ type, name, until, timezone: zone = 'contact', ifPast: past = 'continue' }, id) => ({
    id,
    type,
    ...(name != null && { name }),
    until,
    timezone: zone,
    ifPast: past,
  }),
  toAnswer: (step, position) => ({
    ...presentCommon(step, position),
    until: step.until,
    timezone: step.timezone,
    ifPast: step.ifPast,
  }),
  store: (step) => step,
  restore: (stored) => stored,
}
