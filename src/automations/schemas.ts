import { array, number, object, string } from 'yup'
import { atMost, boundedObject, filledText, MAX_NAME_LENGTH, text } from '../http/index.ts'
import { AUTOMATION_STATUSES, MAX_STEPS, SEND_FAILURE_POLICIES } from '../automation-engine/index.ts'
import { MAX_TAG_LENGTH } from '../contacts/index.ts'
import { MAX_EVENT_NAME_LENGTH, type TriggerConfig, TRIGGERS } from '../triggers/index.ts'
import { normalizeId } from '../platform/ids.ts'
import { stepInput } from './steps/index.ts'

const MAX_DESCRIPTION_LENGTH = 10_000
const MAX_TRIGGER_CONFIG_BYTES = 16 * 1024

const steps = () => array().of(stepInput).max(MAX_STEPS).meta({ description: 'The steps, in order.' })

const TRIGGER_KEYS = ['listId', 'tagName', 'eventName'] as const satisfies (keyof TriggerConfig)[]

/** Enough for five hundred steps, some of them long. */
export const STEPS_LIMIT = { bytes: 4 * 1024 * 1024, values: 40_000 }

/** The lengths of list IDs, tags and event names: nothing longer can trigger an automation. */
const MAX_KEYS = {
  listId: MAX_EVENT_NAME_LENGTH,
  tagName: MAX_TAG_LENGTH,
  eventName: MAX_EVENT_NAME_LENGTH,
} as const satisfies Record<(typeof TRIGGER_KEYS)[number], number>

/** Known keys must be strings. Others are stored unchanged. */
const triggerConfig = () =>
  boundedObject(MAX_TRIGGER_CONFIG_BYTES)
    .test({
      name: 'trigger-config',
      test(value, { path, createError }) {
        for (const key of TRIGGER_KEYS) {
          if (!value || !Object.hasOwn(value, key)) continue
          const max = MAX_KEYS[key]
          if (!isFilled(value[key])) {
            return createError({ message: `${path}.${key} must be a non-empty string` })
          }
          if (!atMost(max).test(value[key] as string)) {
            return createError({ message: `${path}.${key} must not be longer than ${max} characters` })
          }
        }
        return true
      },
    })
    .meta({
      description: 'listId for LIST_ADDED and LIST_REQUESTED, tagName for TAG_ADDED, eventName for EVENT.',
      example: {},
      json: {
        type: 'object',
        additionalProperties: true,
        properties: Object.fromEntries(
          TRIGGER_KEYS.map((key) => [
            key,
            { type: 'string', maxLength: MAX_KEYS[key], ...filledText().spec.meta?.json },
          ]),
        ),
      },
    })

/** Normalizes the ID of a list before other code reads it. */
export const normalizeTrigger = <Input extends { triggerConfig?: Record<string, unknown> | undefined }>(
  input: Input,
): Input => {
  const { triggerConfig } = input
  if (typeof triggerConfig?.['listId'] !== 'string') return input
  return { ...input, triggerConfig: { ...triggerConfig, listId: normalizeId(triggerConfig['listId']) } }
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
  steps: steps(),
}).meta({ component: 'AutomationInput' })

const changeable = {
  name: name(),
  description: description(),
  status: status(),
  trigger: trigger(),
  triggerConfig: triggerConfig(),
  onSendFailure: onSendFailure(),
}

/** `PATCH /automations/{id}`. The route checks that there is a change. */
export const updateAutomationSchema = object(changeable).meta({
  component: 'AutomationChange',
  description: 'The fields to change, at least one.',
  // The description names the fields: Python generators lose all fields next to an `anyOf` of required ones.
  json: { minProperties: 1 },
  example: { status: 'PAUSED' },
})

/** `POST /automations/{id}/publish`. */
export const publishSchema = object({
  ...changeable,
  steps: steps(),
  draftRevision: number().integer().min(0).max(Number.MAX_SAFE_INTEGER).meta({
    description:
      'The revision of the published draft, from its ETag. The draft is deleted. Without it, any draft stays.',
    example: 3,
  }),
}).meta({
  component: 'Publication',
  example: { status: 'ACTIVE', steps: [{ type: 'EMAIL', subject: 'Hello', text: 'Hi' }] },
})

/** `PUT /automations/{id}/steps`, which replaces the whole list. */
export const stepsSchema = object({ steps: steps().required() })
