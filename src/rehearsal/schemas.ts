import { array, number, object } from 'yup'
import { MAX_DELAY_MINUTES } from '../automation-engine/index.ts'
import { entry, exitOn, goal, steps } from '../automations/index.ts'
import { atMost, boundedObject, filledText, givenId, instant, pageQuery, text } from '../http/index.ts'
import { MAX_EVENT_NAME_LENGTH } from '../triggers/index.ts'

const MAX_SUPPOSED_EVENTS = 50
const MAX_DATA_BYTES = 16 * 1024
/** The longest period that is rehearsed: ten years. */
const MAX_DAYS = 3_660
/** The longest period whose events are replayed. */
const MAX_REPLAYED_DAYS = 30
export const DEFAULT_DAYS = 366

const data = () => boundedObject(MAX_DATA_BYTES)

const supposedEvent = object({
  eventName: filledText()
    .required()
    .test(atMost(MAX_EVENT_NAME_LENGTH))
    .meta({ description: 'Compared without case.', example: 'order.placed' }),
  afterMinutes: number()
    .integer()
    .min(0)
    .max(MAX_DELAY_MINUTES)
    .required()
    .meta({ description: 'Minutes after the contact enters.', example: 4320 }),
  share: number()
    .min(0)
    .max(1)
    .meta({ description: 'The share of the contacts who have it. All of them by default.', example: 0.2 }),
  data: data().meta({ description: 'The data of the event.', example: { total: 49 } }),
}).required()

/** `POST /automations/{id}/rehearse`. */
export const rehearseSchema = object({
  contactId: givenId('Rehearses the automation for this contact only, and returns what happens at once.'),
  segmentId: givenId('Rehearses it for the contacts of this segment. Without either, for all contacts.'),
  version: number()
    .integer()
    .min(1)
    .max(1_000_000_000)
    .meta({ description: 'The version to rehearse. By default the current one.', example: 3 }),
  steps: steps().meta({
    description:
      'Steps that are not published, instead of those of a version. The result refers to them by the given IDs.',
  }),
  entry: entry(),
  exitOn: exitOn(),
  goal: goal(),
  startAt: instant('When the contacts enter. By default now.'),
  days: number()
    .integer()
    .min(1)
    .max(MAX_DAYS)
    .meta({ description: `The length of the rehearsed period, ${DEFAULT_DAYS} by default.`, example: 30 }),
  replayDays: number().integer().min(1).max(MAX_REPLAYED_DAYS).meta({
    description:
      'Begins that many days ago instead, and replays what happened since: contacts enter when something started the automation then.',
    example: 30,
  }),
  data: data().meta({ description: 'The data of the event that enrolls the contacts.', example: { plan: 'pro' } }),
  events: array()
    .of(supposedEvent)
    .max(MAX_SUPPOSED_EVENTS)
    .meta({ description: 'Events that the contacts are supposed to have after they enter.' }),
  responses: data().meta({
    description: 'The responses that webhooks save, by their saveAs. No webhook is called.',
    example: { score: { points: 7 } },
  }),
})
  .test({
    name: 'one-audience',
    message: 'Pass contactId or segmentId, not both',
    test: ({ contactId, segmentId }) => contactId == null || segmentId == null,
  })
  .test({
    name: 'version-or-steps',
    message: 'Pass version or changes such as steps, not both',
    test: ({ version, ...change }) =>
      version === undefined ||
      [change.steps, change.entry, change.exitOn, change.goal].every((each) => each === undefined),
  })
  .test({
    name: 'start-or-replay',
    message: 'replayDays cannot be combined with startAt or contactId',
    test: ({ startAt, replayDays, contactId }) =>
      replayDays === undefined || (startAt === undefined && contactId === undefined),
  })
  .test({
    name: 'start',
    message: 'startAt must be at most ten years before or after now',
    test: ({ startAt }) => startAt === undefined || Math.abs(Date.parse(startAt) - Date.now()) < MAX_DAYS * 86_400_000,
  })
  .meta({ component: 'RehearsalInput', example: { days: 30 } })

/** `GET /rehearsals/{id}/contacts`. */
export const resultsQuery = pageQuery({
  outcome: text().max(50).meta({
    description: 'Only contacts with this outcome, such as COMPLETED or FILTER.',
    example: 'COMPLETED',
  }),
  difference: number().integer().min(-10_000).max(10_000).meta({
    description: 'Only contacts who get that many more emails than in the current version.',
    example: -1,
  }),
})
