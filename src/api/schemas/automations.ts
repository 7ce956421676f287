import { array, lazy, number, object, string, type ObjectSchema, type TestContext } from 'yup'
import { AUTOMATION_STATUSES, MAX_NAME_LENGTH, SEND_FAILURE_POLICIES } from '../../domain/automation.ts'
import { MAX_DELAY_MINUTES, MAX_STEPS, STEP_TYPES, type StepType } from '../../domain/steps.ts'
import { TRIGGERS, type TriggerConfig } from '../../domain/triggers.ts'
import { checkTemplates } from '../../mail/render.ts'
import type { StepInput } from '../../services/automations.ts'
import { atMost, EXAMPLE_ID, filledText, freeObject, text } from './fields.ts'
import './locale.ts'

const MAX_SUBJECT_LENGTH = 1_000
const MAX_BODY_LENGTH = 500_000
const MAX_DESCRIPTION_LENGTH = 10_000

const isTemplate = {
  name: 'template',
  test(value: unknown, { path, createError }: TestContext) {
    if (typeof value !== 'string') return true
    const [problem] = checkTemplates({ subject: value, html: null, text: null })
    return problem ? createError({ message: `${path} is no valid template: ${problem.problem}` }) : true
  },
}

const stepId = () =>
  text().meta({
    description: 'Keeps the step of this automation that has this id. With any other, or none, the step is new.',
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
    .test(isTemplate)
    .meta({ description: LIQUID, example: 'Welcome, {{ contact.firstName }}!' }),
  html: text().nullable().test(atMost(MAX_BODY_LENGTH)).test(isTemplate).meta({ description: LIQUID }),
  text: text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .test(isTemplate)
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

/** Keys that mean something are texts; others are kept as they are (specification, section 2.3). */
const triggerConfig = () =>
  freeObject()
    .test({
      name: 'trigger-config',
      test(value, { path, createError }) {
        for (const key of TRIGGER_KEYS) {
          if (value && Object.hasOwn(value, key) && !isFilled(value[key])) {
            return createError({ message: `${path}.${key} must be a string that is not empty` })
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
          TRIGGER_KEYS.map((key) => [key, { type: 'string', ...filledText().spec.meta?.json }]),
        ),
      },
    })

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

/** `PATCH /automations/{id}` (specification, section 4.3). That it changes something is checked by the route. */
export const updateAutomationSchema = object(changeable).meta({
  component: 'AutomationChange',
  description: 'The fields to change; at least one.',
  json: { anyOf: Object.keys(changeable).map((field) => ({ required: [field] })) },
  example: { status: 'PAUSED' },
})

/** `PUT /automations/{id}/steps`: the whole list. */
export const stepsSchema = object({ steps: steps().required() })

/** `POST /automations/{id}/enroll` (specification, section 4.5). */
export const enrollSchema = object({
  contactId: filledText().required().meta({ description: 'The contact to enroll.', example: EXAMPLE_ID }),
  merge: freeObject().meta({
    description: "Merged into the contact's metadata before; a null removes a key.",
    example: { plan: 'pro' },
  }),
})
