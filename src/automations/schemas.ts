import { array, number, object, string } from 'yup'
import { atMost, boundedObject, filledText, MAX_NAME_LENGTH, text } from '../http/index.ts'
import { AUTOMATION_STATUSES, MAX_STEPS, SEND_FAILURE_POLICIES } from '../automation-engine/index.ts'
import { MAX_TAG_LENGTH } from '../contacts/index.ts'
import { MAX_EVENT_NAME_LENGTH, type TriggerConfig, TRIGGERS } from '../triggers/index.ts'
import { oneSpelling } from '../platform/ids.ts'
import { stepInput } from './steps/index.ts'

const MAX_DESCRIPTION_LENGTH = 10_000
const MAX_TRIGGER_CONFIG_BYTES = 16 * 1024

const steps = () => array().of(stepInput).max(MAX_STEPS).meta({ description: 'In the order in which they happen.' })

const TRIGGER_KEYS = ['listId', 'tagName', 'eventName'] as const satisfies (keyof TriggerConfig)[]

/** Five hundred steps, some of them long. */
export const STEPS_LIMIT = { bytes: 4 * 1024 * 1024, values: 40_000 }

/** As long as what happens can be: nothing longer is ever heard. */
const MAX_KEYS = {
  listId: MAX_EVENT_NAME_LENGTH,
  tagName: MAX_TAG_LENGTH,
  eventName: MAX_EVENT_NAME_LENGTH,
} as const satisfies Record<(typeof TRIGGER_KEYS)[number], number>

/** Keys that mean something are texts; others are kept as they are. */
const triggerConfig = () =>
  boundedObject(MAX_TRIGGER_CONFIG_BYTES)
    .test({
      name: 'trigger-config',
      test(value, { path, createError }) {
        for (const key of TRIGGER_KEYS) {
          if (!value || !Object.hasOwn(value, key)) continue
          const max = MAX_KEYS[key]
          if (!isFilled(value[key])) {
            return createError({ message: `${path}.${key} must be a string that is not empty` })
          }
          if (!atMost(max).test(value[key] as string)) {
            return createError({ message: `${path}.${key} must not be longer than ${max} characters` })
          }
        }
        return true
      },
    })
    .meta({
      description:
        'What it listens for: listId for LIST_ADDED and LIST_REQUESTED, tagName for TAG_ADDED, eventName for EVENT.',
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

/** A list's id in the one spelling in which ids are compared, before anything else sees it. */
export const withOneSpelling = <Input extends { triggerConfig?: Record<string, unknown> | undefined }>(
  input: Input,
): Input => {
  const { triggerConfig } = input
  if (typeof triggerConfig?.['listId'] !== 'string') return input
  return { ...input, triggerConfig: { ...triggerConfig, listId: oneSpelling(triggerConfig['listId']) } }
}

const isFilled = (value: unknown): boolean => typeof value === 'string' && filledText().isValidSync(value)

const name = () =>
  filledText().test(atMost(MAX_NAME_LENGTH)).meta({ description: 'What people call it.', example: 'Welcome' })
const description = () =>
  text().nullable().test(atMost(MAX_DESCRIPTION_LENGTH)).meta({ description: 'null clears it.' })
const status = () =>
  string().oneOf(AUTOMATION_STATUSES).meta({
    description:
      'ACTIVE enrolls. PAUSED and DRAFT hold contacts before their next step. ARCHIVED lets them finish and takes no new ones.',
    example: 'ACTIVE',
  })
const trigger = () =>
  string().oneOf(TRIGGERS).meta({ description: 'What starts it, besides enrolling manually.', example: 'SIGNUP' })
const onSendFailure = () =>
  string()
    .oneOf(SEND_FAILURE_POLICIES)
    .meta({ description: "What an email that is refused for good does to the contact's sequence." })

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

/** `PATCH /automations/{id}`. That it changes something is checked by the route. */
export const updateAutomationSchema = object(changeable).meta({
  component: 'AutomationChange',
  description: 'The fields to change; at least one.',
  // Which of them is said in words: generators for Python lose all fields beside a choice of what is required.
  json: { minProperties: 1 },
  example: { status: 'PAUSED' },
})

/** `POST /automations/{id}/publish`. */
export const publishSchema = object({
  ...changeable,
  steps: steps(),
  draftRevision: number().integer().min(0).max(Number.MAX_SAFE_INTEGER).meta({
    description: "The draft's that this is, from its ETag: that is gone then. Without it a draft that is there stays.",
    example: 3,
  }),
}).meta({
  component: 'Publication',
  example: { status: 'ACTIVE', steps: [{ type: 'EMAIL', subject: 'Hello', text: 'Hi' }] },
})

/** `PUT /automations/{id}/steps`: the whole list. */
export const stepsSchema = object({ steps: steps().required() })
