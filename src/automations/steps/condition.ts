import { array, object, string } from 'yup'
import type { ConditionJson } from '../../automation-engine/index.ts'
import { ELSE } from '../../automation-engine/index.ts'
import { branchName, conditionField, presentCommon, stepInputOf, stepResponseOf } from './fields.ts'
import type { AutomationStepType, Nested, StepBase } from './step-type.ts'

/** Maximum number of branches of a step. */
export const MAX_BRANCHES = 20

export interface ConditionStep extends StepBase<'CONDITION'> {
  branches: { name: string; if: ConditionJson }[]
}

export interface ConditionInput<Child> {
  id?: string | undefined
  type: 'CONDITION'
  name?: string | null | undefined
  branches: { name: string; if: ConditionJson; steps?: Child[] | undefined }[]
  else?: Child[] | undefined
}

/** Takes the first branch whose condition is true, or `else`. */
export const condition = <Child>({
  input,
  response,
}: Nested): AutomationStepType<'CONDITION', ConditionStep, ConditionInput<Child>, Child> => ({
  input: stepInputOf('CONDITION', {
    branches: array()
      .of(
        object({
          name: branchName(),
          if: conditionField('eventData', 'stepData').nonNullable().required(),
          steps: input,
        }).required(),
      )
      .min(1)
      .max(MAX_BRANCHES)
      .required()
      .meta({
        description: 'The first branch whose condition is true is taken.',
        example: [{ name: 'Pro', if: { metadata: 'plan', is: 'equal', value: 'pro' }, steps: [] }],
      }),
    else: input,
  }).meta({ component: 'ConditionStepInput', description: 'Continues with the first branch whose condition is true.' }),
  shape: stepResponseOf('CONDITION', {
    branches: array()
      .of(
        object({
          name: string().required(),
          if: object()
            .required()
            .meta({ json: { type: 'object', properties: undefined }, example: { all: [] } }),
          steps: response,
        }).required(),
      )
      .required(),
    else: response,
  }).meta({ component: 'ConditionStep', description: 'Continues with the first branch whose condition is true.' }),
  fromInput: ({ type, name, branches }, id) => ({
    id,
    type,
    ...(name != null && { name }),
    branches: branches.map(({ name: branch, if: when }) => ({ name: branch, if: when })),
  }),
  childrenOf: ({ branches, else: otherwise }) => [
    ...branches.map(({ steps }, n) => ({ branch: String(n), path: `branches[${n}].steps`, steps: steps ?? [] })),
    { branch: ELSE, path: 'else', steps: otherwise ?? [] },
  ],
  withChildren: (input, steps) => ({
    ...input,
    branches: input.branches.map((branch, n) => ({ ...branch, steps: steps[n] })),
    else: steps.at(-1),
  }),
  toAnswer: (step, position, stepsOf) => ({
    ...presentCommon(step, position),
    branches: step.branches.map((branch, n) => ({ ...branch, steps: stepsOf(String(n)) })),
    else: stepsOf(ELSE),
  }),
  store: (step) => step,
  restore: (stored) => stored,
})
