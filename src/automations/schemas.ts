import { array, number, object, string } from 'yup'
import { atMost, boundedObject, filledText, MAX_NAME_LENGTH, text } from '../http/index.ts'
import { AUTOMATION_STATUSES, MAX_STEPS, SEND_FAILURE_POLICIES } from '../automation-engine/index.ts'
import { MAX_TAG_LENGTH } from '../contacts/index.ts'
import { DATE_REPEATS, MAX_EVENT_NAME_LENGTH, type TriggerConfig, TRIGGERS } from '../triggers/index.ts'
import { isId, normalizeId } from '../platform/ids.ts'
import { isTimeZone } from '../platform/time-zone.ts'
import { orNearest } from '../platform/nearest-name.ts'
import { entry, exitOn, goal } from './rule-schemas.ts'
import { stepInput } from './steps/index.ts'

const MAX_DESCRIPTION_LENGTH = 10_000
const MAX_TRIGGER_CONFIG_BYTES = 16 * 1024
/** Maximum length of an unknown key in a message. */
const MAX_SHOWN = 50

export const steps = () => array().of(stepInput).max(MAX_STEPS).meta({ description: 'The steps, in order.' })

/** Enough for five hundred steps, some of them long. */
export const STEPS_LIMIT = { bytes: 4 * 1024 * 1024, values: 40_000 }

const MAX_OFFSET_DAYS = 366
const MAX_ZONE_LENGTH = 64
const DATE_FIELD = /^(contact\.metadata\.[^\u0000]{1,200}|contact\.createdAt)$/ // eslint-disable-line no-control-regex -- Postgres cannot store NUL
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/

/** A key of `triggerConfig`: its JSON Schema, and what is wrong with a value, if anything. */
interface TriggerKey {
  json: Record<string, unknown>
  problem: (value: unknown) => string | undefined
}

/** Nothing longer can trigger an automation. */
const filled = (maxLength: number): TriggerKey => ({
  json: { type: 'string', maxLength, ...filledText().spec.meta?.json },
  problem: (value) =>
    !isFilled(value)
      ? 'must be a non-empty string'
      : atMost(maxLength).test(value as string)
        ? undefined
        : `must not be longer than ${maxLength} characters`,
})

const matching = (pattern: RegExp, what: string): TriggerKey => ({
  json: { type: 'string', pattern: pattern.source },
  problem: (value) => (typeof value === 'string' && pattern.test(value) ? undefined : `must be ${what}`),
})

const TRIGGER_KEYS = {
  listId: filled(MAX_EVENT_NAME_LENGTH),
  tagName: filled(MAX_TAG_LENGTH),
  eventName: filled(MAX_EVENT_NAME_LENGTH),
  segmentId: {
    json: { type: 'string', format: 'uuid' },
    problem: (value) => (typeof value === 'string' && isId(value) ? undefined : 'must be the ID of a segment'),
  },
  field: matching(DATE_FIELD, 'contact.createdAt or contact.metadata.KEY'),
  repeat: {
    json: { enum: DATE_REPEATS },
    problem: (value) =>
      (DATE_REPEATS as readonly unknown[]).includes(value) ? undefined : `must be one of: ${DATE_REPEATS.join(', ')}`,
  },
  offsetDays: {
    json: { type: 'integer', minimum: -MAX_OFFSET_DAYS, maximum: MAX_OFFSET_DAYS },
    problem: (value) =>
      Number.isInteger(value) && Math.abs(value as number) <= MAX_OFFSET_DAYS
        ? undefined
        : `must be an integer from -${MAX_OFFSET_DAYS} to ${MAX_OFFSET_DAYS}`,
  },
  timeOfDay: matching(TIME_OF_DAY, 'a time of day such as 09:00'),
  timezone: {
    json: { type: 'string', maxLength: MAX_ZONE_LENGTH },
    problem: (value) =>
      value === 'contact' || (typeof value === 'string' && isTimeZone(value))
        ? undefined
        : 'must be contact, or a time zone such as Europe/Berlin',
  },
} satisfies Partial<Record<keyof TriggerConfig, TriggerKey>>

/** No other keys are allowed. */
const triggerConfig = () =>
  boundedObject(MAX_TRIGGER_CONFIG_BYTES)
    .test({
      name: 'trigger-config',
      test(value, { path, createError }) {
        const problemAt = (key: string, problem: string) =>
          createError({ path: `${path}.${key}`, message: `${path}.${key} ${problem}` })
        const unknown = Object.keys(value ?? {}).find((key) => !Object.hasOwn(TRIGGER_KEYS, key))
        if (unknown !== undefined)
          return problemAt(unknown.slice(0, MAX_SHOWN), `is unknown${orNearest(unknown, Object.keys(TRIGGER_KEYS))}`)
        for (const [key, { problem }] of Object.entries(TRIGGER_KEYS)) {
          const found = value && Object.hasOwn(value, key) ? problem(value[key]) : undefined
          if (found !== undefined) return problemAt(key, found)
        }
        return true
      },
    })
    .meta({
      description:
        'listId for LIST_ADDED and LIST_REQUESTED, tagName for TAG_ADDED, eventName for EVENT, segmentId for SEGMENT_ENTERED. ' +
        'For DATE: field, and if needed repeat (YEARLY), offsetDays (0), timeOfDay (09:00) and timezone (contact).',
      example: {},
      json: {
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(Object.entries(TRIGGER_KEYS).map(([key, { json }]) => [key, json])),
      },
    })

/** Normalizes the ID of a list or segment before other code reads it. */
export const normalizeTrigger = <Input extends { triggerConfig?: Record<string, unknown> | undefined }>(
  input: Input,
): Input => {
  const { triggerConfig } = input
  if (triggerConfig === undefined) return input
  const normalized = Object.entries(triggerConfig).map(([key, value]) =>
    (key === 'listId' || key === 'segmentId') && typeof value === 'string' ? [key, normalizeId(value)] : [key, value],
  )
  return { ...input, triggerConfig: Object.fromEntries(normalized) as Record<string, unknown> }
}

const isFilled = (value: unknown): boolean => typeof value === 'string' && filledText().isValidSync(value)

const name = () =>
  filledText().test(atMost(MAX_NAME_LENGTH)).meta({ description: 'The display name.', example: 'Welcome' })
const description = () =>
  text().nullable().test(atMost(MAX_DESCRIPTION_LENGTH)).meta({ description: 'null clears it.' })
const status = () =>
  string().oneOf(AUTOMATION_STATUSES).meta({
    description:
      'ACTIVE enrolls contacts. PAUSED and DRAFT pause enrollments before their next email. ARCHIVED lets them finish, but enrolls no further contacts.',
    example: 'ACTIVE',
  })
const trigger = () =>
  string()
    .oneOf(TRIGGERS)
    .meta({ description: 'What starts the automation, in addition to manual enrollment.', example: 'SIGNUP' })
const onSendFailure = () =>
  string()
    .oneOf(SEND_FAILURE_POLICIES)
    .meta({ description: 'What happens to the enrollment if an email fails permanently.' })

/** `POST /automations`. */
export const createAutomationSchema = object({
  name: name().required(),
  description: description(),
  status: status(),
  trigger: trigger().required(),
  triggerConfig: triggerConfig(),
  onSendFailure: onSendFailure(),
  entry: entry(),
  exitOn: exitOn(),
  goal: goal(),
  steps: steps(),
}).meta({ component: 'AutomationInput' })

const changeable = {
  name: name(),
  description: description(),
  status: status(),
  trigger: trigger(),
  triggerConfig: triggerConfig(),
  onSendFailure: onSendFailure(),
  entry: entry(),
  exitOn: exitOn(),
  goal: goal(),
}

/** `PATCH /automations/{id}`. The route checks that there is a change. */
export const updateAutomationSchema = object(changeable).meta({
  component: 'AutomationChange',
  description: 'The fields to change, at least one.',
  // The description names the fields: Python generators lose all fields next to an `anyOf` of required ones.
  json: { minProperties: 1 },
  example: { status: 'PAUSED' },
})

/** The fields of `POST /automations/{id}/publish` that change the automation. */
export const publicationFields = {
  ...changeable,
  steps: steps(),
  draftRevision: number().integer().min(0).max(Number.MAX_SAFE_INTEGER).meta({
    description:
      'The revision of the published draft, from its ETag. The draft is deleted. Without it, any draft stays.',
    example: 3,
  }),
}

/** `PUT /automations/{id}/steps`, which replaces the whole list. */
export const stepsSchema = object({ steps: steps().required() })
