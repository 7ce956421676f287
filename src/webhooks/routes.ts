import { array } from 'yup'
import {
  created,
  cursorListOf,
  cursorPage,
  deleted,
  deleteResultResponse,
  EXAMPLE_ID,
  nothingToUpdate,
  ok,
  operation,
  presentForWriter,
  readCursor,
  single,
  writeOnlyNote,
} from '../http/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { isId } from '../platform/ids.ts'
import { SECRETS_KEY_MISSING } from '../platform/secrets-key.ts'
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  getSecret,
  listEndpoints,
  OVERLAP_HOURS,
  rotateSecret,
  updateEndpoint,
} from './endpoints.ts'
import { DELIVERY_NOT_FOUND, WEBHOOK_DISABLED, WEBHOOK_LIMIT_REACHED, WEBHOOK_NOT_FOUND } from './errors.ts'
import { payloadOf } from './event-types.ts'
import {
  countDeliveries,
  deliveryPage,
  eventsAfter,
  findDelivery,
  insertTestEvent,
  replayDeliveries,
  replayDelivery,
} from './log-queries.ts'
import { readEventCursor, waitForEvents, writeEventCursor } from './poll-events.ts'
import {
  deliveryResponse,
  fullDeliveryResponse,
  newWebhookResponse,
  polledEventsResponse,
  presentDelivery,
  presentFullDelivery,
  presentNewWebhook,
  presentWebhook,
  replayResponse,
  secretResponse,
  testResponse,
  webhookResponse,
  writtenWebhookResponse,
} from './responses.ts'
import { createWebhookSchema, deliveriesQuery, eventsQuery, replaySchema, updateWebhookSchema } from './schemas.ts'

export { webhookDescriptions } from './payloads.ts'

const NOTHING_TO_UPDATE = nothingToUpdate(Object.keys(updateWebhookSchema.fields))
const WRONG_URL = 'url must be an http or https URL without a user name'

const DELIVERY_ID = {
  deliveryId: { description: 'The ID of the event, as in the header webhook-id.', example: EXAMPLE_ID },
}

export const outgoingWebhookOperations = [
  operation({
    id: 'listWebhooks',
    method: 'GET',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'Oldest first. A workspace has at most 50.',
    scope: 'webhooks:read',
    responses: { 200: { description: 'All webhooks.', schema: single(array().of(webhookResponse).required()) } },
    async handle({ caller }, { em }) {
      const endpoints = await listEndpoints(em, caller.workspace.id)
      const counts = await countDeliveries(
        em.fork(),
        endpoints.map(({ id }) => id),
      )
      return ok(endpoints.map((endpoint) => presentWebhook(endpoint, counts.get(endpoint.id))))
    },
  }),

  operation({
    id: 'createWebhook',
    method: 'POST',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'From now on, events of these types are recorded and sent to the URL, signed with the secret by Standard Webhooks. Only this ' +
      'response and GET /webhooks/{id}/secret contain the secret. It is stored encrypted with SECRETS_KEY.',
    scope: 'webhooks:write',
    isSecret: true,
    body: createWebhookSchema,
    responses: {
      201: {
        description: 'The webhook and its secret.',
        schema: single(newWebhookResponse),
        links: { getWebhook: { id: '$response.body#/data/id' }, testWebhook: { id: '$response.body#/data/id' } },
      },
    },
    errors: { 400: ['events is required', WRONG_URL], 409: [WEBHOOK_LIMIT_REACHED, SECRETS_KEY_MISSING] },
    async handle({ caller, body, call }, dependencies) {
      const { endpoint, secret } = await createEndpoint(dependencies, caller.workspace.id, body, call.id)
      return created({ ...presentNewWebhook(endpoint), secret })
    },
  }),

  operation({
    id: 'getWebhook',
    method: 'GET',
    path: '/webhooks/{id}',
    tag: 'Webhooks',
    summary: 'Get a webhook',
    description: 'Returns the webhook with the number of its open deliveries.',
    scope: 'webhooks:read',
    responses: { 200: { description: 'The webhook.', schema: single(webhookResponse) } },
    errors: { 404: [WEBHOOK_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const endpoint = await getEndpoint(em, caller.workspace.id, params.id)
      return ok(presentWebhook(endpoint, (await countDeliveries(em.fork(), [endpoint.id])).get(endpoint.id)))
    },
  }),

  operation({
    id: 'updateWebhook',
    method: 'PATCH',
    path: '/webhooks/{id}',
    tag: 'Webhooks',
    summary: 'Update a webhook',
    description: `Changes the given fields. ${writeOnlyNote('webhooks:read')}`,
    scope: 'webhooks:write',
    body: updateWebhookSchema,
    responses: { 200: { description: 'The webhook.', schema: single(writtenWebhookResponse) } },
    errors: { 400: [NOTHING_TO_UPDATE, WRONG_URL], 404: [WEBHOOK_NOT_FOUND] },
    async handle({ caller, params, body }, dependencies) {
      if (Object.keys(body).length === 0) throw new ApiError(NOTHING_TO_UPDATE)
      const { em } = dependencies
      const endpoint = await updateEndpoint(dependencies, caller.workspace.id, params.id, body)
      const counts = (await countDeliveries(em, [endpoint.id])).get(endpoint.id)
      return ok(presentForWriter(caller, 'webhooks:read', presentWebhook(endpoint, counts), body))
    },
  }),

  operation({
    id: 'deleteWebhook',
    method: 'DELETE',
    path: '/webhooks/{id}',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'Deletes the webhook with its deliveries. A request that is being sent is not interrupted.',
    scope: 'webhooks:write',
    responses: { 200: { description: 'Deleted.', schema: single(deleteResultResponse) } },
    errors: { 404: [WEBHOOK_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      await deleteEndpoint(em, caller.workspace.id, params.id)
      return deleted(params.id)
    },
  }),

  operation({
    id: 'getWebhookEndpointSecret',
    method: 'GET',
    path: '/webhooks/{id}/secret',
    tag: 'Webhooks',
    summary: 'Get the secret of a webhook',
    description: 'Returns the secret that signs the requests.',
    role: 'owner',
    responses: { 200: { description: 'The secret.', schema: single(secretResponse) } },
    errors: { 404: [WEBHOOK_NOT_FOUND], 409: [SECRETS_KEY_MISSING] },
    handle: async ({ caller, params }, { em, secrets }) =>
      ok({ secret: await getSecret(em, secrets, caller.workspace.id, params.id) }),
  }),

  operation({
    id: 'rotateWebhookEndpointSecret',
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    tag: 'Webhooks',
    summary: 'Rotate the secret of a webhook',
    description: `Creates a new secret. For ${OVERLAP_HOURS} hours, requests are signed with the new secret and with the one before.`,
    scope: 'webhooks:write',
    isSecret: true,
    responses: { 200: { description: 'The webhook and its new secret.', schema: single(newWebhookResponse) } },
    errors: { 404: [WEBHOOK_NOT_FOUND], 409: [SECRETS_KEY_MISSING] },
    async handle({ caller, params }, { em, secrets }) {
      const { endpoint, secret } = await rotateSecret(em, secrets, caller.workspace.id, params.id)
      return ok({ ...presentNewWebhook(endpoint), secret })
    },
  }),

  operation({
    id: 'testWebhook',
    method: 'POST',
    path: '/webhooks/{id}/test',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description: 'Records an event of the type webhook.test for this webhook only. Its delivery is in the log.',
    scope: 'webhooks:write',
    responses: { 200: { description: 'The test event.', schema: single(testResponse) } },
    errors: { 404: [WEBHOOK_NOT_FOUND], 409: [WEBHOOK_DISABLED] },
    async handle({ caller, params }, { em }) {
      const endpoint = await getEndpoint(em, caller.workspace.id, params.id)
      if (endpoint.status === 'DISABLED') throw new ApiError(WEBHOOK_DISABLED)
      return ok({ id: await insertTestEvent(em, endpoint) })
    },
  }),

  operation({
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    tag: 'Webhooks',
    summary: 'List deliveries',
    description: 'Newest first. Deliveries are kept for 30 days.',
    scope: 'webhooks:read',
    query: deliveriesQuery,
    responses: { 200: { description: 'A page of deliveries.', schema: cursorListOf(deliveryResponse) } },
    errors: { 404: [WEBHOOK_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      const { id } = await getEndpoint(em, caller.workspace.id, params.id)
      const { status, limit, cursor } = query
      const page = await deliveryPage(em.fork(), id, { status, behind: readCursor(cursor), limit: limit + 1 })
      return cursorPage(page, limit, presentDelivery)
    },
  }),

  operation({
    id: 'getWebhookDelivery',
    method: 'GET',
    path: '/webhooks/{id}/deliveries/{deliveryId}',
    tag: 'Webhooks',
    summary: 'Get a delivery',
    description: 'Returns the request, and the response to each of the last 20 attempts.',
    scope: 'webhooks:read',
    params: DELIVERY_ID,
    responses: { 200: { description: 'The delivery.', schema: single(fullDeliveryResponse) } },
    errors: { 404: [WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const { id } = await getEndpoint(em, caller.workspace.id, params.id)
      const found = isId(params.deliveryId) ? await findDelivery(em.fork(), id, params.deliveryId) : undefined
      if (!found) throw new ApiError(DELIVERY_NOT_FOUND)
      return ok(presentFullDelivery(found))
    },
  }),

  operation({
    id: 'replayWebhookDelivery',
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{deliveryId}/replay',
    tag: 'Webhooks',
    summary: 'Replay a delivery',
    description: 'Sends an event again, with the same ID, and with all attempts if it fails.',
    scope: 'webhooks:write',
    params: DELIVERY_ID,
    responses: { 200: { description: 'The number of events: 1.', schema: single(replayResponse) } },
    errors: { 404: [WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND], 409: [WEBHOOK_DISABLED] },
    async handle({ caller, params }, { em }) {
      const endpoint = await getEndpoint(em, caller.workspace.id, params.id)
      if (endpoint.status === 'DISABLED') throw new ApiError(WEBHOOK_DISABLED)
      if (!isId(params.deliveryId) || !(await replayDelivery(em, endpoint.id, params.deliveryId)))
        throw new ApiError(DELIVERY_NOT_FOUND)
      return ok({ replayed: 1 })
    },
  }),

  operation({
    id: 'replayWebhookDeliveries',
    method: 'POST',
    path: '/webhooks/{id}/replay',
    tag: 'Webhooks',
    summary: 'Replay the deliveries of a time range',
    description: 'Sends events again, with the same IDs. Deliveries that are pending stay unchanged.',
    scope: 'webhooks:write',
    body: replaySchema,
    responses: { 200: { description: 'The number of events.', schema: single(replayResponse) } },
    errors: { 400: ['since is required'], 404: [WEBHOOK_NOT_FOUND], 409: [WEBHOOK_DISABLED] },
    async handle({ caller, params, body }, { em }) {
      const endpoint = await getEndpoint(em, caller.workspace.id, params.id)
      if (endpoint.status === 'DISABLED' || endpoint.url == null) throw new ApiError(WEBHOOK_DISABLED)
      return ok({ replayed: await replayDeliveries(em, endpoint, body) })
    },
  }),

  operation({
    id: 'pollWebhookEvents',
    method: 'GET',
    path: '/webhooks/{id}/events',
    tag: 'Webhooks',
    summary: 'Poll events',
    description:
      'For integrations that cannot receive requests. Returns the events after the cursor, in the order in which they were ' +
      'committed. With `wait`, the response comes as soon as there is an event. An event can be missing if its contact was erased.',
    scope: 'webhooks:read',
    query: eventsQuery,
    responses: { 200: { description: 'Events.', schema: single(polledEventsResponse) } },
    errors: { 400: ['after must be the cursor of a response to this request'], 404: [WEBHOOK_NOT_FOUND] },
    // Before the handler, which takes one of the workspace's places.
    async prepare({ caller, params, query }, { em }) {
      const endpoint = await getEndpoint(em, caller.workspace.id, params.id)
      await waitForEvents(em, endpoint, readEventCursor(query.after), query.wait)
    },
    async handle({ caller, params, query }, { em }) {
      const endpoint = await getEndpoint(em, caller.workspace.id, params.id)
      const { after, limit } = query
      const found = await eventsAfter(em.fork(), endpoint, readEventCursor(after), limit + 1)
      const events = found.slice(0, limit)
      const last = events.at(-1)
      return ok({
        events: events.map(payloadOf),
        cursor: last ? writeEventCursor(last) : (after ?? '0.0'),
        isMore: found.length > limit,
      })
    },
  }),
]
