import { array } from 'yup'
import { addressIdIn, CONTACT_PARAM, CONTACT_NOT_FOUND, getContact } from '../contacts/index.ts'
import { ApiError } from '../platform/api-error.ts'
import {
  cursorPage,
  cursorAfter,
  cursorListOf,
  pageResponse,
  listOf,
  ok,
  operation,
  pageQuery,
  rangeOf,
  readCursor,
  single,
} from '../http/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { isId } from '../platform/ids.ts'
import type { Caller } from '../workspaces/index.ts'
import { getMessage, listActivity } from './activity.ts'
import { messagesOf } from './list-queries.ts'
import { assertMayDecide, assertMayDecideOf, mayDecideOnly } from './authorization.ts'
import { MESSAGE_STATUSES } from './message.ts'
import {
  DELIVERY_UNCONFIRMED,
  MESSAGE_NOT_FOUND,
  NOT_RETRYABLE,
  MESSAGE_NOT_UNCONFIRMED,
  WOULD_BE_CAPTURED,
} from './errors.ts'
import { MAX_RETRIES, retryMany, retryOne } from './retry.ts'
import { messagesQuery, OUTCOME_OF_NO_CAMPAIGN, retriesSchema, retrySchema } from './schemas.ts'
import { dismissOne } from './unconfirmed-messages.ts'
import {
  dismissedResponse,
  listedMessageResponse,
  messageDetailResponse,
  messageResponse,
  presentListed,
  presentMessage,
  presentMessageDetail,
  retriesResponse,
  retryResponse,
} from './responses.ts'

/** Resolves a contact, or an address that got transactional emails without a contact. */
const recipientIdOf = async (em: EntityManager, caller: Caller, given: string): Promise<string | undefined> =>
  (await CONTACT_PARAM.resolve(em, caller, given)) ?? addressIdIn(caller.workspace.id, given)

const NO_CURSOR = 'cursor must be the nextCursor of a page of this list'

export const messageOperations = [
  operation({
    id: 'listActivity',
    method: 'GET',
    path: '/contacts/{id}/activity',
    params: { id: CONTACT_PARAM },
    tag: 'Contacts',
    summary: "List a contact's messages",
    description:
      'The messages to the contact, newest first, with content and outcome. If they are long, only the first messages on a page have their content.',
    scope: 'contacts:read',
    query: pageQuery(),
    // The content can be megabytes.
    responses: { 200: { description: 'A page of messages.', schema: listOf(array().of(messageResponse).required()) } },
    errors: { 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      const [messages, total] = await listActivity(em, caller.workspace.id, params.id, rangeOf(query))
      return pageResponse(messages.map(presentMessage), query, total)
    },
  }),

  operation({
    id: 'listMessages',
    method: 'GET',
    path: '/messages',
    tag: 'Messages',
    summary: 'List messages',
    description:
      'Messages to all contacts, newest first, without their content. Filter them by status, automation, campaign, outcome, contact, address and time.',
    scope: 'contacts:read',
    query: messagesQuery,
    responses: { 200: { description: 'A page of messages.', schema: cursorListOf(listedMessageResponse) } },
    errors: {
      400: [NO_CURSOR, OUTCOME_OF_NO_CAMPAIGN, 'since must be a time such as 2026-11-21T09:30:00Z'],
      404: [CONTACT_NOT_FOUND],
    },
    async handle({ caller, query }, { em }) {
      const { status, automationId, campaignId, outcome, contactId: given, since, until, limit } = query
      const behind = readCursor(query.cursor)
      const contactId = given === undefined ? undefined : await recipientIdOf(em, caller, given)
      if (given !== undefined && contactId === undefined) throw new ApiError(CONTACT_NOT_FOUND, { param: '/contactId' })
      const statuses = status === undefined ? MESSAGE_STATUSES : [status]
      const range = { statuses, behind, since, until, limit: limit + 1 }
      const isNone = [automationId, campaignId].some((id) => id !== undefined && !isId(id))
      const page = isNone
        ? []
        : await messagesOf(em.fork(), caller.workspace.id, { automationId, campaignId, contactId, outcome }, range)
      // An unknown contact or address is a 404, and not an empty list.
      if (page.length === 0 && contactId !== undefined) await getContact(em, caller.workspace.id, contactId)
      return cursorPage(page, limit, presentListed)
    },
  }),

  operation({
    id: 'getMessage',
    method: 'GET',
    path: '/messages/{id}',
    tag: 'Messages',
    summary: 'Get a message',
    description: 'Returns the message with its content and the links that were clicked.',
    scope: 'contacts:read',
    responses: { 200: { description: 'The message.', schema: single(messageDetailResponse) } },
    errors: { 404: [MESSAGE_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      return ok(presentMessageDetail(await getMessage(em, caller.workspace.id, params.id)))
    },
  }),

  operation({
    id: 'retryMessage',
    method: 'POST',
    path: '/messages/{id}/retry',
    tag: 'Messages',
    summary: 'Retry a message',
    description:
      'Sends the content of its step to the contact with their current data. A FAILED message was not delivered, so it is sent. An UNCONFIRMED one may ' +
      'arrive twice, so it requires "evenIfSent". A CAPTURED one is sent if mail is now delivered. The retry does not affect ' +
      'the enrollment. It waits while the automation is paused.',
    scope: 'automations:write',
    orScope: 'campaigns:write',
    body: retrySchema,
    bodyOptional: true,
    responses: {
      202: { description: 'The message is retried until it has a final status.', schema: single(retryResponse) },
    },
    errors: { 404: [MESSAGE_NOT_FOUND], 409: [NOT_RETRYABLE, DELIVERY_UNCONFIRMED, WOULD_BE_CAPTURED] },
    async handle({ caller, params, body, call }, dependencies) {
      const { evenIfSent = false } = body
      await assertMayDecide(dependencies.em, caller, params.id)
      const asked = await retryOne(dependencies, caller.workspace.id, params.id, { evenIfSent }, call)
      const { id, status, retryAt } = asked
      return { status: 202, body: { data: { id, status, retryAt: retryAt.toISOString() } } }
    },
  }),

  operation({
    id: 'dismissMessage',
    method: 'POST',
    path: '/messages/{id}/dismiss',
    tag: 'Messages',
    summary: 'Dismiss an unconfirmed message',
    description: 'An UNCONFIRMED message becomes DISMISSED: it is not sent again and no longer needs a decision.',
    scope: 'automations:write',
    orScope: 'campaigns:write',
    responses: { 200: { description: 'The message is dismissed.', schema: single(dismissedResponse) } },
    errors: { 404: [MESSAGE_NOT_FOUND], 409: [MESSAGE_NOT_UNCONFIRMED] },
    async handle({ caller, params }, { em }) {
      await assertMayDecide(em, caller, params.id)
      await dismissOne(em, caller.workspace.id, params.id)
      return { status: 200, body: { data: { id: params.id, status: 'DISMISSED' as const } } }
    },
  }),

  operation({
    id: 'retryMessages',
    method: 'POST',
    path: '/messages/retry',
    tag: 'Messages',
    summary: 'Retry messages',
    description:
      `Up to ${MAX_RETRIES.toLocaleString('en')} messages with one status, newest first, each by the same rules as a single retry. If there ` +
      'are more, continue with nextCursor. A key that may write only automations retries messages of automations, a key ' +
      'that may write only campaigns those of campaigns.',
    scope: 'automations:write',
    orScope: 'campaigns:write',
    body: retriesSchema,
    responses: {
      202: { description: 'The messages are retried until they have a final status.', schema: single(retriesResponse) },
    },
    errors: {
      400: [NO_CURSOR],
      404: [CONTACT_NOT_FOUND],
      409: [DELIVERY_UNCONFIRMED, WOULD_BE_CAPTURED],
    },
    async handle({ caller, body }, { em }) {
      const { status, automationId, campaignId, contactId: given, evenIfSent = false } = body
      if (campaignId !== undefined) assertMayDecideOf(caller, 'campaigns')
      if (automationId !== undefined) assertMayDecideOf(caller, 'automations')
      const behind = readCursor(body.cursor)
      const contactId = given === undefined ? undefined : await CONTACT_PARAM.resolve(em, caller, given)
      if (given !== undefined && contactId === undefined) throw new ApiError(CONTACT_NOT_FOUND, { param: '/contactId' })
      const only = mayDecideOnly(caller)
      const search = { status, automationId, campaignId, contactId, only, behind, since: body.since, until: body.until }
      const { asked, last, onlySince } = await retryMany(em, caller.workspace.id, search, { evenIfSent })
      const warning =
        `The instance was restored. Messages from before ${onlySince} may have been sent since the backup and are ` +
        'left out. To include them, set /evenIfSent to true'
      return {
        status: 202,
        ...(onlySince !== undefined && { headers: { 'X-Warning': warning } }),
        body: { data: { retried: asked, nextCursor: cursorAfter(last) } },
      }
    },
  }),
]
