// cspell:ignore placd
import { array } from 'yup'
import { CONTACT_PARAM, CONTACT_LIMITS, CONTACT_NOT_FOUND, resolveContactId } from '../contacts/index.ts'
import {
  BULK_BODY_LIMIT,
  checkItems,
  cursorPage,
  cursorListOf,
  DEFAULT_BODY_LIMIT,
  pageResponse,
  listOf,
  operation,
  parse,
  rangeOf,
  readCursor,
  single,
  warn,
} from '../http/index.ts'
import { LIST_NOT_FOUND } from '../lists/index.ts'
import { ApiError } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { isId } from '../platform/ids.ts'
import { type EventEffects, type EventSource, TOO_MANY_STARTS } from '../triggers/index.ts'
import type { Caller } from '../workspaces/index.ts'
import { describeNames, MAX_NAMES, misspellingWarnings, removeName } from './event-names.ts'
import { EVENT_NAME_IN_USE, EVENT_NAME_NOT_FOUND } from './errors.ts'
import { eventKey, type FiredEvent } from './fire-event.ts'
import { automationNames, hasContact, historyPage } from './queries.ts'
import { fireShared } from './shared-events.ts'
import { type EventInput, recordEvent, recordEvents, toNamedContact } from './record-event.ts'
import {
  bulkRecordedResponse,
  eventNameResponse,
  eventResultResponse,
  presentBulk,
  presentFired,
  presentName,
  presentRecorded,
  presentStored,
  recordedEventResponse,
  removedNameResponse,
  storedEventResponse,
} from './responses.ts'
import {
  bulkItemSchema,
  bulkSchema,
  contactEventsQuery,
  CREATES_BY_EMAIL,
  eventSchema,
  eventsQuery,
  MAX_BULK_EVENTS,
  namesQuery,
  ONE_CONTACT,
  recordSchema,
} from './schemas.ts'

const sourceOf = ({ by }: Caller): EventSource => (by.kind === 'key' ? 'API' : 'DASHBOARD')

const contactLinks = (id: string) => ({ getContact: { id }, listActivity: { id }, listContactEvents: { id } })

const EVENT_BODY_LIMIT = { ...DEFAULT_BODY_LIMIT, bytes: 64 * 1024 }

export const eventOperations = [
  operation({
    id: 'fireEvent',
    method: 'POST',
    path: '/contacts/{id}/events',
    params: { id: CONTACT_PARAM },
    tag: 'Events',
    summary: 'Fire a custom event',
    description:
      'Starts all active automations that have the trigger EVENT with this eventName, compared without case. ' +
      'Succeeds with matchingAutomations 0 if there are none.',
    scope: 'contacts:write',
    body: eventSchema,
    bodyLimit: EVENT_BODY_LIMIT,
    // In a transaction that concurrent requests share.
    transactional: false,
    audit: 'by-handler',
    responses: {
      202: {
        description: 'The event was stored, and starts the matching automations.',
        schema: single(eventResultResponse),
        links: contactLinks('$response.body#/data/contactId'),
      },
    },
    errors: {
      400: ['name is required', 'data must be a JSON object'],
      404: [CONTACT_NOT_FOUND],
    },
    async handle({ caller, params, body: { name, data }, call }, dependencies) {
      const event = { name, data, source: sourceOf(caller) }
      const fired = await fireShared(dependencies, caller.workspace.id, params.id, event, call)
      if (!fired) throw new ApiError(CONTACT_NOT_FOUND)
      const { headers, names } = await describeEffects(dependencies.em, caller, fired)
      return { status: 202, headers, body: { data: presentFired(fired, names) }, contactId: fired.contactId }
    },
  }),

  operation({
    id: 'recordEvent',
    method: 'POST',
    path: '/events',
    tag: 'Events',
    summary: 'Record an event, with its contact',
    description:
      'Creates or updates the contact, adds it to lists, and fires the event, in one transaction. By email, a contact that does not ' +
      'exist is created, unless createContact is false. A list that the contact left fails without affecting the rest.',
    scope: 'contacts:write',
    body: recordSchema,
    responses: {
      202: {
        description: 'The event was stored, and starts the matching automations.',
        schema: single(recordedEventResponse),
        links: contactLinks('$response.body#/data/contactId'),
      },
    },
    errors: {
      400: ['name is required', ONE_CONTACT, CREATES_BY_EMAIL, ...Object.values(CONTACT_LIMITS)],
      404: [CONTACT_NOT_FOUND, LIST_NOT_FOUND],
    },
    async handle({ caller, body: { name, data, lists = [], ...naming }, call }, dependencies) {
      const contact = toNamedContact(naming)
      const event = { name, data, contact, lists, source: sourceOf(caller) }
      const recorded = await recordEvent(dependencies, caller.workspace.id, event, call)
      const { headers, names } = await describeEffects(dependencies.em, caller, recorded)
      return { status: 202, headers, body: { data: presentRecorded(recorded, names) }, contactId: recorded.contactId }
    },
  }),

  operation({
    id: 'recordEvents',
    method: 'POST',
    path: '/events/bulk',
    tag: 'Events',
    summary: 'Record up to 1,000 events',
    description:
      'Stores all valid events in one transaction, with their contacts. Invalid items fail without affecting the others. ' +
      'Automations start in the background.',
    scope: 'contacts:write',
    body: bulkSchema,
    bodyLimit: BULK_BODY_LIMIT,
    responses: { 202: { description: 'The result.', schema: single(bulkRecordedResponse) } },
    errors: {
      400: [`events array must not exceed ${MAX_BULK_EVENTS} items`, 'events is required', TOO_MANY_STARTS],
    },
    prepare: ({ body }) => checkItems(body.events as unknown[], checkEvent),
    async handle({ caller, prepared: { inputs, errors }, call }, dependencies) {
      const recorded = await recordEvents(dependencies, caller.workspace.id, inputs, call)
      const warnings = await misspellingWarnings(dependencies.em, caller.workspace.id, someNames(inputs))
      return { status: 202, headers: warn(warnings), body: { data: presentBulk(recorded, errors) } }
    },
  }),

  operation({
    id: 'listEvents',
    method: 'GET',
    path: '/events',
    tag: 'Events',
    summary: 'List events',
    description: 'Newest first. Events must match all given filters.',
    scope: 'contacts:read',
    query: eventsQuery,
    responses: { 200: { description: 'A page of events.', schema: cursorListOf(storedEventResponse) } },
    errors: { 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, query: { contactId, ...query } }, { em }) {
      const named = contactId === undefined ? undefined : await resolveContactId(em, caller, contactId)
      return answerHistory(em, caller, named, query, '/contactId')
    },
  }),

  operation({
    id: 'listEventNames',
    method: 'GET',
    path: '/events/names',
    tag: 'Events',
    summary: 'List the names of events',
    description: `The one seen last first, with the use of each name. At most ${MAX_NAMES} names.`,
    scope: 'contacts:read',
    query: namesQuery,
    responses: {
      200: { description: 'A page of names.', schema: listOf(array().of(eventNameResponse).required()) },
    },
    async handle({ caller, query }, { em }) {
      const { names, total } = await describeNames(em, caller.workspace.id, rangeOf(query))
      return pageResponse(names.map(presentName), query, total)
    },
  }),

  operation({
    id: 'removeEventName',
    method: 'DELETE',
    path: '/events/names/{name}',
    params: { name: { description: 'The name, compared without case.', example: 'order.placd' } },
    tag: 'Events',
    summary: 'Remove the name of an event',
    description: 'Deletes the events of a name that was sent by mistake. No automation or segment may use it.',
    scope: 'contacts:write',
    responses: { 200: { description: 'The name.', schema: single(removedNameResponse) } },
    errors: { 404: [EVENT_NAME_NOT_FOUND], 409: [EVENT_NAME_IN_USE] },
    async handle({ caller, params: { name } }, { em }) {
      await removeName(em, caller.workspace.id, name)
      return { status: 200, body: { data: { name, deleted: true } } }
    },
  }),

  operation({
    id: 'listContactEvents',
    method: 'GET',
    path: '/contacts/{id}/events',
    params: { id: CONTACT_PARAM },
    tag: 'Events',
    summary: 'List the events of a contact',
    description: 'Newest first. They are stored for the eventRetentionDays of the workspace.',
    scope: 'contacts:read',
    query: contactEventsQuery,
    responses: { 200: { description: 'A page of events.', schema: cursorListOf(storedEventResponse) } },
    errors: { 404: [CONTACT_NOT_FOUND] },
    handle: ({ caller, params, query }, { em }) => answerHistory(em, caller, params.id, query),
  }),
]

/** Validates one item of a bulk request. @throws {ApiError} `invalid_request` with the reason */
function checkEvent(given: unknown): EventInput {
  const { name, data, ...naming } = parse(bulkItemSchema, given)
  return { name, data, contact: toNamedContact(naming) }
}

const idsIn = (all: readonly EventEffects[]): string[] => [
  ...new Set(
    all
      .flatMap(({ started, continued, ended, alreadyEnrolled, refused }) => [
        ...started,
        ...continued,
        ...ended,
        ...alreadyEnrolled,
        ...refused,
      ])
      .map(({ automationId }) => automationId),
  ),
]

/** Reads the names of the affected automations. If there are none, warns if the name of the event may be misspelled. */
async function describeEffects(em: EntityManager, { workspace }: Caller, { eventName, effects }: FiredEvent) {
  const ids = idsIn([effects])
  const warnings =
    ids.length > 0 ? [] : await misspellingWarnings(em, workspace.id, [{ name: eventName, pointer: '/name' }])
  return { headers: warn(warnings), names: await automationNames(em.fork(), ids) }
}

/** The number of names in a bulk request that are looked at for misspellings. */
const MAX_CHECKED = 20

/** The first of the different names in a bulk request. */
const someNames = (inputs: readonly { index: number; input: EventInput }[]) =>
  [...Map.groupBy(inputs, ({ input }) => eventKey(input.name)).values()]
    .slice(0, MAX_CHECKED)
    .map(([first]) => ({ name: first!.input.name, pointer: `/events/${first!.index}/name` }))

async function answerHistory(
  em: EntityManager,
  caller: Caller,
  contactId: string | undefined,
  query: {
    name?: string | undefined
    after?: string | undefined
    before?: string | undefined
    cursor?: string | undefined
    limit: number
  },
  param?: string,
) {
  const { name, after, before, cursor, limit } = query
  const fork = em.fork()
  const workspaceId = caller.workspace.id
  if (contactId !== undefined && !(isId(contactId) && (await hasContact(fork, workspaceId, contactId))))
    throw new ApiError(CONTACT_NOT_FOUND, { param })
  const key = name === undefined ? undefined : eventKey(name)
  const page = await historyPage(fork, workspaceId, {
    contactId,
    key,
    after,
    before,
    behind: readCursor(cursor),
    limit,
  })
  const names = await automationNames(fork, idsIn(page.map(({ effects }) => effects)))
  return cursorPage(page, limit, (event) => presentStored(event, names))
}
