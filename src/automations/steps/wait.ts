import { number, object, string } from 'yup'
import { id } from '../../http/index.ts'
import { MAX_DELAY_MINUTES } from '../../automation-engine/index.ts'
import { stepId, stepName } from './fields.ts'
import type { AutomationStepType, StepFields, StepBase } from './step-type.ts'

export interface WaitStep extends StepBase<'WAIT'> {
  delayMinutes: number
}

const input = object({
  id: stepId(),
  type: string()
    .oneOf(['WAIT'] as const)
    .required(),
  name: stepName(),
  delayMinutes: number()
    .integer()
    .min(1)
    .max(MAX_DELAY_MINUTES)
    .required()
    .meta({ description: 'Up to ten years.', example: 1440 }),
})
  .required()
  .meta({ ignored: ['position', 'subject'] })
  .meta({ component: 'WaitStepInput', description: 'Waits for a given time.' })

const shape = object({
  id: id('step'),
  type: string()
    .oneOf(['WAIT'] as const)
    .required(),
  name: string().nullable().defined().meta({ example: null }),
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
  fromInput: ({ type, name, delayMinutes }, id) => ({ id, type, ...(name != null && { name }), delayMinutes }),
  toAnswer: ({ id, type, name, delayMinutes }, position) => ({
    id,
    type,
    name: name ?? null,
    position,
    subject: null,
    delayMinutes,
  }),
  store: (step) => step,
  restore: (stored) => stored,
}
