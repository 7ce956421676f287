import { array, object } from 'yup'
import { atMost, boundedObject, filledText, givenId, text } from '../../http/index.ts'
import { MAX_FIRST_NAME_LENGTH, MAX_METADATA_BYTES, MAX_TAG_LENGTH } from '../../contacts/index.ts'
import { presentCommon, stepInputOf, stepResponseOf } from './fields.ts'
import type { AutomationStepType, StepFields, StepBase } from './step-type.ts'

/** Maximum tags and lists in one step. */
const MAX_ITEMS = 20

export interface UpdateContactStep extends StepBase<'UPDATE_CONTACT'> {
  set?: { firstName?: string | null; metadata?: Record<string, unknown> }
  addTags?: string[]
  removeTags?: string[]
  addToLists?: string[]
  removeFromLists?: string[]
}

const tags = () =>
  array()
    .of(filledText().test(atMost(MAX_TAG_LENGTH)).required())
    .max(MAX_ITEMS)
const lists = () => array().of(givenId("The list's ID.").required()).max(MAX_ITEMS)

const fields = {
  set: object({
    firstName: text().nullable().test(atMost(MAX_FIRST_NAME_LENGTH)),
    metadata: boundedObject(MAX_METADATA_BYTES).meta({
      description: "Merged into the contact's metadata. A null removes a key.",
      example: { stage: 'trial' },
    }),
  }).default(undefined),
  addTags: tags().meta({ example: ['trial'] }),
  removeTags: tags().meta({ example: [] }),
  addToLists: lists().meta({ description: 'A list with double opt-in asks the contact to confirm.', example: [] }),
  removeFromLists: lists().meta({ example: [] }),
}

const CHANGES = Object.keys(fields) as (keyof typeof fields)[]

/** Updates the contact. */
export const updateContact: AutomationStepType<'UPDATE_CONTACT', UpdateContactStep, StepFields<UpdateContactStep>> = {
  input: stepInputOf('UPDATE_CONTACT', fields)
    .test({
      name: 'changes',
      message: ({ path }) => `${path} must have at least one of: ${CHANGES.join(', ')}`,
      test: (step) => CHANGES.some((change) => step[change] !== undefined),
    })
    .meta({
      component: 'UpdateContactStepInput',
      description: 'Changes the contact. New tags and lists start other automations, as through the API.',
    }),
  shape: stepResponseOf('UPDATE_CONTACT', fields).meta({
    component: 'UpdateContactStep',
    description: 'Changes the contact.',
  }),
  fromInput: ({ type, name, ...given }, id) => ({
    id,
    type,
    ...(name != null && { name }),
    ...Object.fromEntries(CHANGES.flatMap((change) => (given[change] === undefined ? [] : [[change, given[change]]]))),
  }),
  toAnswer: (step, position) => ({
    ...presentCommon(step, position),
    ...Object.fromEntries(CHANGES.flatMap((change) => (step[change] === undefined ? [] : [[change, step[change]]]))),
  }),
  store: (step) => step,
  restore: (stored) => stored,
}
