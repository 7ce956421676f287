import { array, lazy, number, object, string, type ObjectSchema } from 'yup'
import { atMost, boundedObject, filledText, MAX_NAME_LENGTH, text } from '../http/index.ts'
import {
  AUTOMATION_STATUSES,
  MAX_DELAY_MINUTES,
  MAX_STEPS,
  SEND_FAILURE_POLICIES,
  STEP_TYPES,
  type StepType,
} from '../sequences/index.ts'
import { MAX_TAG_LENGTH } from '../contacts/index.ts'
import { MAX_EVENT_NAME_LENGTH, type TriggerConfig, TRIGGERS } from '../triggers/index.ts'
import { oneSpelling } from '../platform/ids.ts'
import { MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH } from '../templates/index.ts'
import type { StepInput } from './automations.ts'

const MAX_DESCRIPTION_LENGTH = 10_000
const MAX_TRIGGER_CONFIG_BYTES = 16 * 1024

const stepId = () =>
  text().meta({
    description: 'Keeps the step of this automation that has this id. With any other, or none, the step is new.',
    isId: true,
  })

const LIQUID = 'A Liquid template that knows contact.email, contact.firstName and contact.metadata.'

const email = object({
  id: stepId(),
  type: string()
    .oneOf(['EMAIL'] as const)
    .required(),
  subject: filledText()
    .required()
    .test(atMost(MAX_SUBJECT_LENGTH))
    .meta({ description: LIQUID, example: 'Welcome, {{ contact.firstName }}!' }),
  html: text().nullable().test(atMost(MAX_BODY_LENGTH)).meta({ description: LIQUID }),
  text: text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({ description: LIQUID, example: 'Good to have you here.' }),
})
  .required()
  .meta({ component: 'EmailStepInput', description: 'Sends one email.' })

const wait = object({
  id: stepId(),
  type: string()
    .oneOf(['WAIT'] as const)
    .required(),
  delayMinutes: number()
    .integer()
    .min(1)
    .max(MAX_DELAY_MINUTES)
    .required()
    .meta({ description: 'Up to ten years.', example: 1440 }),
})
  .required()
  .meta({ component: 'WaitStepInput', description: 'Lets time pass.' })

const unknownType = object({ type: string().oneOf(STEP_TYPES).required() })

const STEP_SCHEMAS = { EMAIL: email, WAIT: wait } as const satisfies Record<StepType, unknown>

const step = lazy((value: unknown): ObjectSchema<StepInput> => {
  const type =
    typeof value === 'object' && value !== null && Object.hasOwn(value, 'type')
      ? (value as { type: unknown }).type
      : undefined
  const schema =
    typeof type === 'string' && Object.hasOwn(STEP_SCHEMAS, type) ? STEP_SCHEMAS[type as StepType] : unknownType
  return schema as unknown as ObjectSchema<StepInput>
}).meta({ component: 'StepInput', variants: Object.values(STEP_SCHEMAS) })

const steps = () => array().of(step).max(MAX_STEPS).meta({ description: 'In the order in which they happen.' })

const TRIGGER_KEYS = ['listId', 'tagName', 'eventName'] as const satisfies (keyof TriggerConfig)[]

/** As long as what happens can be: nothing longer is ever heard. */
const LONGEST_KEYS = {
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
          const max = LONGEST_KEYS[key]
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
      description: 'What it listens for: listId for LIST_ADDED, tagName for TAG_ADDED, eventName for EVENT.',
      example: {},
      json: {
        type: 'object',
        additionalProperties: true,
        properties: Object.fromEntries(
          TRIGGER_KEYS.map((key) => [
            key,
            { type: 'string', maxLength: LONGEST_KEYS[key], ...filledText().spec.meta?.json },
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
  string().oneOf(TRIGGERS).meta({ description: 'What starts it, besides enrolling by hand.', example: 'SIGNUP' })
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
  json: { anyOf: Object.keys(changeable).map((field) => ({ required: [field] })) },
  example: { status: 'PAUSED' },
})

/** `PUT /automations/{id}/steps`: the whole list. */
export const stepsSchema = object({ steps: steps().required() })
