// cspell:ignore placd
import { array, boolean, number, object, string, type InferType, type Schema } from 'yup'
import { count, freeObject, id, nullableText, timestamp } from '../http/index.ts'
import { countMatching, EVENT_SOURCES, type EventEffects, REFUSAL_REASONS } from '../triggers/index.ts'
import { COUNTED_DAYS, type DescribedName, MAX_COUNT } from './event-names.ts'
import type { FiredEvent } from './fire-event.ts'
import type { StoredEvent } from './queries.ts'
import type { BulkRecorded, RecordedEvent } from './record-event.ts'

const affected = (description: string, more: Record<string, Schema> = {}) =>
  array()
    .of(
      object({
        automationId: id('automation'),
        name: nullableText('The name of the automation. Null if it is deleted.', 'Welcome'),
        ...more,
      }).required(),
    )
    .required()
    .meta({ description })

/** The effects of an event, with their automations. */
const effects = {
  matchingAutomations: count('The number of automations triggered: started, alreadyEnrolled and refused by a rule.'),
  started: affected('The automations that the contact enters.'),
  continued: affected('The automations in which a step waited for the event.'),
  ended: affected('The automations that the contact left by an exit rule or a goal.', {
    status: string().oneOf(['EXITED', 'GOAL_REACHED']).required(),
  }),
  alreadyEnrolled: affected('The automations that it does not start, because the contact is in them.'),
  refused: affected('The automations that a rule keeps the contact out of, or that are paused.', {
    rule: string().oneOf(REFUSAL_REASONS).required(),
  }),
}

/** The names of automations, by ID. */
export type Names = ReadonlyMap<string, string>

const presentEffects = (effects: EventEffects, names: Names) => {
  const named = <Effect extends { automationId: string }>(list: readonly Effect[]) =>
    list.map(({ automationId, ...more }) => ({ automationId, name: names.get(automationId) ?? null, ...more }))
  return {
    matchingAutomations: countMatching(effects),
    started: named(effects.started),
    continued: named(effects.continued),
    ended: named(effects.ended),
    alreadyEnrolled: named(effects.alreadyEnrolled),
    refused: named(effects.refused),
  }
}

const eventResult = {
  contactId: id('contact'),
  eventName: string().required().meta({ example: 'Purchase' }),
  ...effects,
  firedAt: timestamp('The time at which the event was fired.'),
}

export const eventResultResponse = object(eventResult).required().meta({ component: 'EventResult' })

export const presentFired = (
  { contactId, eventName, effects, firedAt }: FiredEvent,
  names: Names,
): InferType<typeof eventResultResponse> => ({
  contactId,
  eventName,
  ...presentEffects(effects, names),
  firedAt: firedAt.toISOString(),
})

/** The results of adding a contact to a list, by the outcome. */
const LIST_RESULTS = {
  added: 'ADDED',
  member: 'ALREADY_IN',
  requested: 'PENDING',
  pending: 'PENDING',
  'asked-often': 'FAILED',
  'opted-out': 'FAILED',
  full: 'FAILED',
} as const

export const recordedEventResponse = object({
  ...eventResult,
  contactCreated: boolean().required().meta({ description: 'True if the contact is new.', example: false }),
  lists: array()
    .of(
      object({
        listId: id('list'),
        result: string()
          .oneOf([...new Set(Object.values(LIST_RESULTS))])
          .required()
          .meta({ description: 'PENDING: the contact must confirm first.', example: 'ADDED' }),
        error: nullableText('Why the contact was not added. The event was stored.'),
      }).required(),
    )
    .required()
    .meta({ description: 'What became of each list to join.' }),
})
  .required()
  .meta({ component: 'RecordedEvent' })

export const presentRecorded = (
  { isCreated, joined, ...fired }: RecordedEvent,
  names: Names,
): InferType<typeof recordedEventResponse> => ({
  ...presentFired(fired, names),
  contactCreated: isCreated,
  lists: joined.map(({ listId, outcome, error }) => ({
    listId,
    result: LIST_RESULTS[outcome],
    error: error ?? null,
  })),
})

export const bulkRecordedResponse = object({
  stored: count('The number of events stored.'),
  contactsCreated: count('The number of contacts created.', 0),
  failed: count('The number of items that failed.', 0),
  errors: array()
    .of(
      object({
        index: number().integer().min(0).required().meta({ description: 'The index of the item, from 0.', example: 3 }),
        error: string().required().meta({ example: 'Contact not found' }),
      }).required(),
    )
    .required()
    .meta({ description: 'The errors of the failed items.', example: [] }),
})
  .required()
  .meta({ component: 'RecordedEvents' })

export const presentBulk = (
  { stored, contactsCreated, errors }: BulkRecorded,
  invalid: BulkRecorded['errors'],
): InferType<typeof bulkRecordedResponse> => {
  const all = [...invalid, ...errors].toSorted((a, b) => a.index - b.index)
  return { stored, contactsCreated, failed: all.length, errors: all }
}

export const storedEventResponse = object({
  id: id('event'),
  contactId: id('contact'),
  name: string().required().meta({ description: 'As it was sent.', example: 'Purchase' }),
  data: freeObject()
    .nullable()
    .defined()
    .meta({ description: 'Null if none was sent.', json: { type: ['object', 'null'] }, example: { amount: 42 } }),
  source: string().oneOf(EVENT_SOURCES).required().meta({
    description: 'API: a request with a key. DASHBOARD: a member. BULK: POST /events/bulk. AUTOMATION: a step.',
    example: 'API',
  }),
  ...effects,
  firedAt: timestamp('The time at which the event was fired.'),
})
  .required()
  .meta({ component: 'StoredEvent', description: 'A custom event of a contact.' })

export const presentStored = (event: StoredEvent, names: Names): InferType<typeof storedEventResponse> => ({
  id: event.id,
  contactId: event.contactId,
  name: event.name,
  data: event.data,
  source: event.source ?? 'API',
  ...presentEffects(event.effects, names),
  firedAt: event.createdAt.toISOString(),
})

/** The types of JSON values. */
const JSON_TYPES = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const

const users = (what: string) =>
  array()
    .of(object({ id: id(what), name: string().required().meta({ example: 'Welcome' }) }).required())
    .required()

export const eventNameResponse = object({
  name: string().required().meta({ description: 'As it was sent last.', example: 'Purchase' }),
  count: count(`The events of the last ${COUNTED_DAYS} days. Counting stops at ${MAX_COUNT}.`, 128),
  lastSeenAt: timestamp('The time of the last event.'),
  properties: array()
    .of(
      object({
        name: string().required().meta({ description: 'A top-level key of data.', example: 'amount' }),
        types: array()
          .of(string().oneOf(JSON_TYPES).required())
          .required()
          .meta({ description: 'The JSON types of its values.', example: ['number'] }),
      }).required(),
    )
    .required()
    .meta({ description: 'The properties of the newest events.' }),
  similarTo: nullableText(
    'The name of which this is probably a misspelling: no automation or segment uses this one, and the other one is used.',
  ),
  usedBy: object({ automations: users('automation'), segments: users('segment') })
    .required()
    .meta({
      description:
        'The automations that the event triggers, ends or continues, and the automations and segments whose conditions ' +
        'mention it.',
    }),
})
  .required()
  .meta({ component: 'EventName' })

export const removedNameResponse = object({
  name: string().required().meta({ example: 'order.placd' }),
  deleted: boolean().required().meta({ description: 'Always true.', example: true }),
}).required()

export const presentName = ({
  name,
  count,
  lastSeenAt,
  properties,
  similarTo,
  usedBy,
}: DescribedName): InferType<typeof eventNameResponse> => ({
  name,
  count,
  lastSeenAt: lastSeenAt.toISOString(),
  properties: properties.map(({ name, types }) => ({ name, types: types as (typeof JSON_TYPES)[number][] })),
  similarTo,
  usedBy,
})
