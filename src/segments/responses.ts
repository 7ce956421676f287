import { array, mixed, object, string, type InferType } from 'yup'
import { ACTIVITIES, COMPARISONS, type Condition, CONDITION_FIELDS, MESSAGE_CONDITIONS } from './condition.ts'
import type { Segment } from './entities.ts'
import { count, id, nullableText, timestamp, writtenResponse } from '../http/index.ts'

/** The schema of a form. Other keys are invalid. */
const form = (properties: Record<string, object>, required: string[], description?: string) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
  ...(description && { description }),
})
const nested = { $ref: '#/components/schemas/Condition' }
const conditions = { type: 'array', items: nested }
const compared = {
  is: {
    type: 'string',
    enum: [...COMPARISONS],
    description: '`present` and `missing` take no value; `within`, `olderThan` and `newerThan` a duration.',
  },
  value: {
    type: ['string', 'number', 'boolean'],
    description: 'A duration is in hours or days of 24 hours, such as `12h` or `7d`.',
  },
}
const withinDays = { type: 'number', exclusiveMinimum: 0, description: 'Only in the last days, of 24 hours each.' }

/** `condition.ts` as JSON Schema. A test keeps the two consistent. */
export const conditionResponse = mixed<Condition>()
  .required()
  .meta({
    component: 'Condition',
    description:
      'A condition on a contact. A value that does not exist, or is `null`, compares as false, with every comparison but `missing`.',
    json: {
      anyOf: [
        form({ all: conditions }, ['all']),
        form({ any: conditions }, ['any']),
        form({ not: nested }, ['not']),
        form({ field: { type: 'string', enum: [...CONDITION_FIELDS] }, ...compared }, ['field', 'is']),
        form({ metadata: { type: 'string', description: 'A key of the metadata.' }, ...compared }, ['metadata', 'is']),
        form({ tag: { type: 'string' } }, ['tag']),
        form({ list: { type: 'string', description: "The list's ID." } }, ['list']),
        form({ segment: { type: 'string', description: "The segment's ID." } }, ['segment']),
        form(
          {
            activity: {
              type: 'string',
              enum: [...ACTIVITIES],
              description: 'The contact was sent a message with this status, or opened or clicked one.',
            },
            automation: { type: 'string', description: "The automation's ID." },
            campaign: { type: 'string', description: "The campaign's ID." },
            withinDays,
          },
          ['activity'],
        ),
        form(
          {
            message: { type: 'string', description: 'The ID of an email step or a campaign.' },
            is: { type: 'string', enum: [...MESSAGE_CONDITIONS] },
          },
          ['message', 'is'],
        ),
        form(
          {
            event: { type: 'string', description: 'The name of an event that was fired, compared without case.' },
            atLeast: { type: 'integer', minimum: 1, description: 'By default 1, or 0 with `atMost`.' },
            atMost: { type: 'integer', minimum: 0, description: '0 matches contacts that never performed the event.' },
            withinDays,
            where: {
              ...nested,
              description: 'Counts only events for whose data this is true: `eventData`, in `all`, `any` and `not`.',
            },
            data: { type: 'string', description: "A key of the event's data to compare. `where` can do the same." },
            ...compared,
          },
          ['event'],
        ),
        form(
          {
            eventData: {
              type: 'string',
              description: 'A key of the data of the event at hand. Dots separate nested keys.',
            },
            ...compared,
          },
          ['eventData', 'is'],
          'In automations, and in `where`.',
        ),
        form(
          {
            stepData: {
              type: 'string',
              description: 'The name of a step, and a key of the data that it saved. Dots separate nested keys.',
            },
            ...compared,
          },
          ['stepData', 'is'],
          'In the steps of an automation.',
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

const useResponse = object({
  kind: string()
    .oneOf(['AUTOMATION', 'CAMPAIGN', 'SEGMENT'] as const)
    .required()
    .meta({ example: 'CAMPAIGN' }),
  id: id('automation, campaign or segment'),
  name: string().required().meta({ example: 'Black Friday' }),
  status: nullableText('The status of an automation or a campaign.', 'SCHEDULED'),
  role: string()
    .oneOf(['TRIGGER', 'CONDITION', 'AUDIENCE', 'EXCLUSION'] as const)
    .required()
    .meta({
      description:
        'TRIGGER: the automation starts when a contact enters the segment. CONDITION: a rule, a step or the other segment refers to it. ' +
        'AUDIENCE or EXCLUSION: the campaign includes or excludes its contacts.',
      example: 'AUDIENCE',
    }),
})
  .required()
  .meta({ component: 'SegmentUse' })

const usedIn = {
  usedIn: array().of(useResponse).required().meta({
    description: 'Automations, campaigns and segments that use it, at most 100. Those that ended are last.',
  }),
}

/** A segment in a list. */
export const listedSegmentResponse = segmentResponse
  .shape(usedIn)
  .meta({ component: 'ListedSegment', description: 'A segment, and what uses it.' })

export const segmentDetailResponse = segmentResponse
  .shape({ contactCount: count('The number of contacts that match now.', 42), ...usedIn })
  .meta({ component: 'SegmentDetail', description: 'A segment, with the number of contacts in it, and what uses it.' })

export const presentSegment = (segment: Segment): InferType<typeof segmentResponse> => ({
  id: segment.id,
  name: segment.name,
  condition: segment.condition,
  createdAt: segment.createdAt.toISOString(),
  updatedAt: segment.updatedAt.toISOString(),
})
