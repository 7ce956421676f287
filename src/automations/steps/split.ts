import { array, number, object, string } from 'yup'
import { MAX_BRANCHES } from './condition.ts'
import { branchName, presentCommon, stepInputOf, stepResponseOf } from './fields.ts'
import type { AutomationStepType, Nested, StepBase } from './step-type.ts'

const MAX_WEIGHT = 1_000_000

export interface SplitStep extends StepBase<'SPLIT'> {
  branches: { name: string; weight: number }[]
}

export interface SplitInput<Child> {
  id?: string | undefined
  type: 'SPLIT'
  name?: string | null | undefined
  branches: { name: string; weight: number; steps?: Child[] | undefined }[]
}

const weight = () => number().integer().min(0).max(MAX_WEIGHT).required().meta({ example: 50 })

/** Takes a branch at random by weight, and always the same one for a contact. */
export const split = <Child>({
  input,
  response,
}: Nested): AutomationStepType<'SPLIT', SplitStep, SplitInput<Child>, Child> => ({
  input: stepInputOf('SPLIT', {
    branches: array()
      .of(object({ name: branchName(), weight: weight(), steps: input }).required())
      .min(2)
      .max(MAX_BRANCHES)
      .required()
      .test({
        name: 'weights',
        message: ({ path }) => `${path} must have at least one weight above 0`,
        // A branch can still be null: the error of that branch follows.
        test: (branches: readonly ({ weight?: unknown } | null | undefined)[]) =>
          branches.some((branch) => Number(branch?.weight) > 0),
      })
      .meta({
        description: 'A branch gets its weight, divided by the sum of all weights, of the contacts.',
        example: [
          { name: 'A', weight: 50, steps: [] },
          { name: 'B', weight: 50, steps: [] },
        ],
      }),
  }).meta({
    component: 'SplitStepInput',
    description: 'Divides contacts at random. A contact always gets the same branch.',
  }),
  shape: stepResponseOf('SPLIT', {
    branches: array()
      .of(object({ name: string().required(), weight: weight(), steps: response }).required())
      .required(),
  }).meta({ component: 'SplitStep', description: 'Divides contacts at random.' }),
  fromInput: ({ type, name, branches }, id) => ({
    id,
    type,
    ...(name != null && { name }),
    branches: branches.map(({ name: branch, weight: share }) => ({ name: branch, weight: share })),
  }),
  childrenOf: ({ branches }) =>
    branches.map(({ steps }, n) => ({ branch: String(n), path: `branches[${n}].steps`, steps: steps ?? [] })),
  withChildren: (input, steps) => ({
    ...input,
    branches: input.branches.map((branch, n) => ({ ...branch, steps: steps[n] })),
  }),
  toAnswer: (step, position, stepsOf) => ({
    ...presentCommon(step, position),
    branches: step.branches.map((branch, n) => ({ ...branch, steps: stepsOf(String(n)) })),
  }),
  store: (step) => step,
  restore: (stored) => stored,
})
