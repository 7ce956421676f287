import { number, object } from 'yup'
import { type ConditionJson, MAX_DELAY_MINUTES, RECEIVED, TIMED_OUT } from '../../automation-engine/index.ts'
import { atMost, filledText } from '../../http/index.ts'
import { MAX_EVENT_NAME_LENGTH } from '../../triggers/index.ts'
import { conditionField, presentCommon, stepInputOf, stepResponseOf } from './fields.ts'
import type { AutomationStepType, Nested, StepBase } from './step-type.ts'

export interface WaitForEventStep extends StepBase<'WAIT_FOR_EVENT'> {
  eventName: string
  filter?: ConditionJson
  timeoutMinutes: number
}

export interface WaitForEventInput<Child> {
  id?: string | undefined
  type: 'WAIT_FOR_EVENT'
  name?: string | null | undefined
  eventName: string
  filter?: ConditionJson | null | undefined
  timeoutMinutes: number
  received?: Child[] | undefined
  timedOut?: Child[] | undefined
}

const timeout = () => number().integer().min(1).max(MAX_DELAY_MINUTES).required().meta({ example: 4320 })

/** Waits for an event of the contact. */
export const waitForEvent = <Child>({
  input,
  response,
}: Nested): AutomationStepType<'WAIT_FOR_EVENT', WaitForEventStep, WaitForEventInput<Child>, Child> => ({
  input: stepInputOf('WAIT_FOR_EVENT', {
    eventName: filledText()
      .test(atMost(MAX_EVENT_NAME_LENGTH))
      .required()
      .meta({ description: 'Compared without case.', example: 'project.created' }),
    filter: conditionField('eventData'),
    timeoutMinutes: timeout(),
    received: input,
    timedOut: input,
  }).meta({
    component: 'WaitForEventStepInput',
    description:
      'Waits until the contact has the event. An event that arrived since the enrollment began counts, too. ' +
      'After timeoutMinutes, the enrollment continues with timedOut.',
  }),
  shape: stepResponseOf('WAIT_FOR_EVENT', {
    eventName: filledText().required().meta({ example: 'project.created' }),
    filter: object()
      .nullable()
      .defined()
      .meta({ json: { type: ['object', 'null'], properties: undefined }, example: null }),
    timeoutMinutes: timeout(),
    received: response,
    timedOut: response,
  }).meta({ component: 'WaitForEventStep', description: 'Waits for an event of the contact.' }),
  fromInput: ({ type, name, eventName, filter, timeoutMinutes }, id) => ({
    id,
    type,
    ...(name != null && { name }),
    eventName,
    ...(filter != null && { filter }),
    timeoutMinutes,
  }),
  childrenOf: ({ received, timedOut }) => [
    { branch: RECEIVED, path: 'received', steps: received ?? [] },
    { branch: TIMED_OUT, path: 'timedOut', steps: timedOut ?? [] },
  ],
  withChildren: (input, [received, timedOut]) => ({ ...input, received, timedOut }),
  toAnswer: (step, position, stepsOf) => ({
    ...presentCommon(step, position),
    eventName: step.eventName,
    filter: step.filter ?? null,
    timeoutMinutes: step.timeoutMinutes,
    received: stepsOf(RECEIVED),
    timedOut: stepsOf(TIMED_OUT),
  }),
  store: (step) => step,
  restore: (stored) => stored,
})
