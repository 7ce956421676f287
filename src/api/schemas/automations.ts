import { array, lazy, number, object, string, type ObjectSchema, type TestContext } from 'yup'
import { AUTOMATION_STATUSES, MAX_NAME_LENGTH, SEND_FAILURE_POLICIES } from '../../domain/automation.ts'
import { MAX_DELAY_MINUTES, MAX_STEPS, STEP_TYPES, type StepType } from '../../domain/steps.ts'
import { TRIGGERS, type TriggerConfig } from '../../domain/triggers.ts'
import { checkTemplates } from '../../mail/render.ts'
import type { StepInput } from '../../services/automations.ts'
import { filledString, freeObject } from './fields.ts'
import './locale.ts'

const MAX_SUBJECT_LENGTH = 1_000
const MAX_BODY_LENGTH = 500_000

const isTemplate = {
  name: 'template',
  test(value: unknown, { path, createError }: TestContext) {
    if (typeof value !== 'string') return true
    const [problem] = checkTemplates({ subject: value, html: null, text: null })
    return problem ? createError({ message: `${path} is no valid template: ${problem.problem}` }) : true
  },
}

const email = object({
  id: string(),
  type: string()
    .oneOf(['EMAIL'] as const)
    .required(),
  subject: filledString().required().max(MAX_SUBJECT_LENGTH).test(isTemplate),
  html: string().nullable().max(MAX_BODY_LENGTH).test(isTemplate),
  text: string().nullable().max(MAX_BODY_LENGTH).test(isTemplate),
})

const wait = object({
  id: string(),
  type: string()
    .oneOf(['WAIT'] as const)
    .required(),
  delayMinutes: number().integer().min(1).max(MAX_DELAY_MINUTES).required(),
})

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
})

const steps = () => array().of(step).max(MAX_STEPS)

/** Keys that mean something are texts; others are kept as they are (specification, section 2.3). */
const triggerConfig = () =>
  freeObject().test({
    name: 'trigger-config',
    test(value, { path, createError }) {
      for (const key of ['listId', 'tagName', 'eventName'] satisfies (keyof TriggerConfig)[]) {
        if (value && Object.hasOwn(value, key) && (typeof value[key] !== 'string' || value[key].trim() === '')) {
          return createError({ message: `${path}.${key} must be a string that is not empty` })
        }
      }
      return true
    },
  })

const name = () => filledString().max(MAX_NAME_LENGTH)
const description = () => string().nullable().max(10_000)

/** `POST /automations`. */
export const createAutomationSchema = object({
  name: name().required(),
  description: description(),
  status: string().oneOf(AUTOMATION_STATUSES),
  trigger: string().oneOf(TRIGGERS).required(),
  triggerConfig: triggerConfig(),
  onSendFailure: string().oneOf(SEND_FAILURE_POLICIES),
  steps: steps(),
})

/** `PATCH /automations/{id}` (specification, section 4.3). */
export const updateAutomationSchema = object({
  name: name(),
  description: description(),
  status: string().oneOf(AUTOMATION_STATUSES),
  trigger: string().oneOf(TRIGGERS),
  triggerConfig: triggerConfig(),
  onSendFailure: string().oneOf(SEND_FAILURE_POLICIES),
})

/** `PUT /automations/{id}/steps`: the whole list. */
export const stepsSchema = object({ steps: steps().required() })

/** `POST /automations/{id}/enroll` (specification, section 4.5). */
export const enrollSchema = object({
  contactId: filledString().required(),
  merge: freeObject(),
})
