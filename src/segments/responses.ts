import { mixed, object, string, type InferType } from 'yup'
import { ACTIVITIES, COMPARISONS, type Condition, CONDITION_FIELDS } from './condition.ts'
import type { Segment } from './entities.ts'
import { count, id, timestamp, writtenResponse } from '../http/index.ts'

const form = (properties: Record<string, object>, required: string[]) => ({ type: 'object', properties, required })
const conditions = { type: 'array', items: { $ref: '#/components/schemas/Condition' } }
const comparison = {
  is: { type: 'string', enum: [...COMPARISONS], description: '`present` and `missing` take no value.' },
  value: { type: ['string', 'number', 'boolean'] },
}

/** `condition.ts` as JSON Schema. A test keeps the two consistent. */
export const conditionResponse = mixed<Condition>()
  .required()
  .meta({
    component: 'Condition',
    description:
      'A condition on a contact. A field or key that a contact does not have compares as false with every comparison except `missing`.',
    json: {
      anyOf: [
        form({ all: conditions }, ['all']),
        form({ any: conditions }, ['any']),
        form({ not: { $ref: '#/components/schemas/Condition' } }, ['not']),
        form({ field: { type: 'string', enum: [...CONDITION_FIELDS] }, ...comparison }, ['field', 'is']),
        form({ metadata: { type: 'string', description: 'A metadata key.' }, ...comparison }, ['metadata', 'is']),
        form({ tag: { type: 'string' } }, ['tag']),
        form({ list: { type: 'string', description: "The list's ID." } }, ['list']),
        form(
          {
            activity: {
              type: 'string',
              enum: [...ACTIVITIES],
              description: 'The contact was sent a message with this status, or opened or clicked one.',
            },
            automation: { type: 'string', description: "The automation's ID." },
            campaign: { type: 'string', description: "The campaign's ID." },
            withinDays: { type: 'number', exclusiveMinimum: 0 },
          },
          ['activity'],
        ),
        form(
          {
            event: { type: 'string', description: 'The name of an event that was fired, compared without case.' },
            data: { type: 'string', description: "A key of the event's data to compare." },
            ...comparison,
            withinDays: { type: 'number', exclusiveMinimum: 0 },
          },
          ['event'],
        ),
      ],
    },
    example: { all: [{ metadata: 'plan', is: 'equal', value: 'pro' }, { not: { tag: 'churned' } }] },
  })

export const segmentResponse = object({
  id: id('segment'),
  name: string().required().meta({ example: 'Paying customers' }),
  condition: conditionResponse,
  createdAt: timestamp('The time of creation.'),
  updatedAt: timestamp('The time of the last update.'),
})
  .required()
  .meta({ component: 'Segment', description: 'A saved condition.' })

/** The response to a write, which a key that may not read segments gets only in part. */
export const writtenSegmentResponse = writtenResponse(segmentResponse, {
  component: 'WrittenSegment',
  scope: 'segments:read',
})

const contactCount = () => count('The number of contacts that match now.', 42)

export const contactCountResponse = object({ contactCount: contactCount() })
  .required()
  .meta({ component: 'ContactCount' })

export const segmentDetailResponse = segmentResponse
  .shape({ contactCount: contactCount() })
  .meta({ component: 'SegmentDetail', description: 'A segment, with the number of contacts in it.' })

export const presentSegment = (segment: Segment): InferType<typeof segmentResponse> => ({
  id: segment.id,
  name: segment.name,
  condition: segment.condition,
  createdAt: segment.createdAt.toISOString(),
  updatedAt: segment.updatedAt.toISOString(),
})
