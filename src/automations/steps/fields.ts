import { number, object, string, type ObjectShape } from 'yup'
import { atMost, filledText, freeObject, id, text } from '../../http/index.ts'
import { type ConditionSource, readCondition } from '../../segments/index.ts'

/** Maximum length of a step's or a branch's name, in characters. */
const MAX_STEP_NAME_LENGTH = 100

export const stepId = () =>
  text().meta({
    description:
      'The ID of an existing step of this automation, which is kept. With any other ID, or none, the step is new.',
    isId: true,
  })

export const stepName = () =>
  filledText()
    .nullable()
    .test(atMost(MAX_STEP_NAME_LENGTH))
    .meta({ description: 'A name for reports, unique in the automation.', example: null })

export const branchName = () => filledText().test(atMost(MAX_STEP_NAME_LENGTH)).required()

/** The keys of a step in a response that a request may repeat, although they have no effect. */
const RESPONSE_KEYS = ['position', 'subject', 'delayMinutes']

/** The schema of a step in a request. The keys of its response are accepted, so that steps can be sent back. */
export const stepInputOf = <Type extends string, Fields extends ObjectShape>(type: Type, fields: Fields) =>
  object({ id: stepId(), type: string().oneOf([type]).required(), name: stepName(), ...fields })
    .required()
    .meta({ ignored: RESPONSE_KEYS })

/** The schema of a step in a response, for the types without an email and a delay. */
export const stepResponseOf = <Type extends string, Fields extends ObjectShape>(type: Type, fields: Fields) =>
  object({
    id: id('step'),
    type: string().oneOf([type]).required(),
    name: string().nullable().defined().meta({ example: null }),
    position: number()
      .integer()
      .min(0)
      .required()
      .meta({ description: 'Zero-based, in its list of steps.', example: 0 }),
    subject: string()
      .nullable()
      .defined()
      .oneOf([null] as const)
      .meta({
        description: 'Always null for this type.',
        // Always null, with the type of the specification (section 2.4).
        json: { type: ['string', 'null'], enum: undefined },
        example: null,
      }),
    delayMinutes: number()
      .oneOf([0] as const)
      .required(),
    ...fields,
  }).required()

/** The fields that the responses of these types share. */
export const presentCommon = <Type extends string>(
  { id, type, name }: { id: string; type: Type; name?: string | undefined },
  position: number,
) => ({ id, type, name: name ?? null, position, subject: null, delayMinutes: 0 })

/**
 * A condition on the contact.
 *
 * @param allows the other data to which it may refer
 */
export const conditionField = (...allows: ConditionSource[]) =>
  freeObject()
    .nullable()
    .test({
      name: 'condition',
      test(value: unknown, { path, createError }) {
        if (value === undefined || value === null) return true
        const read = readCondition(value, { allows, path })
        return 'condition' in read || createError({ message: read.problem })
      },
    })
    .meta({ description: 'A condition: see POST /segments.', example: { all: [] } })
