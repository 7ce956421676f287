import { number, object, string } from 'yup'
import { id } from '../../http/index.ts'
import { MAX_DELAY_MINUTES } from '../../automation-engine/index.ts'
import { stepId } from './fields.ts'
import type { AutomationStepType, StepFields, OutlineOf } from './step-type.ts'

export type WaitStep = OutlineOf<'WAIT'>

const input = object({
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
  .meta({ component: 'WaitStepInput', description: 'Waits for a given time.' })

const shape = object({
  id: id('step'),
  type: string()
    .oneOf(['WAIT'] as const)
    .required(),
  position: number().integer().min(0).required().meta({ description: 'Zero-based.', example: 1 }),
  subject: string()
    .nullable()
    .defined()
    .oneOf([null] as const)
    .meta({
      description: 'Always null for a WAIT.',
      // Always null, with the type of the specification (section 2.4).
      json: { type: ['string', 'null'], enum: undefined },
      example: null,
    }),
  delayMinutes: number().integer().min(1).required().meta({ example: 1440 }),
})
  .required()
  .meta({ component: 'WaitStep', description: 'Waits for a given time.' })

/** Waits for a given time. */
export const wait: AutomationStepType<'WAIT', WaitStep, StepFields<WaitStep>> = {
  input,
  shape,
  fromInput: ({ type, delayMinutes }, id) => ({ id, type, delayMinutes }),
  toAnswer: ({ id, type, delayMinutes }, position) => ({ id, type, position, subject: null, delayMinutes }),
  store: (step) => step,
  restore: (stored) => stored,
  contentOf: () => undefined,
  lacks: () => undefined,
  templates: () => undefined,
}
