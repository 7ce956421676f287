import {
  type ApiDependencies,
  BULK_BODY_LIMIT,
  type Caller,
  checkItems,
  ok,
  operation,
  single,
  warn,
} from '../http/index.ts'
import type { Call } from '../platform/call.ts'
import { checkCall, messageIdOf } from './check-call.ts'
import { KEPT_MINUTES } from './kept-call-queries.ts'
import { type ReceivedCalls, receiveCalls } from './receive-calls.ts'
import { presentReceived, receivedResponse } from './responses.ts'
import { batchSchema, MAX_CALLS, type SourceCall, sourceSchema, WRONG_TYPE } from './schemas.ts'

/** The limit of the protocol. A call that cannot be stored fails alone. */
const SOURCE_BODY_LIMIT = { ...BULK_BODY_LIMIT, bytes: 500 * 1024, findsFaults: false, takesGzip: true }

const BATCH_TOO_LONG = `batch array must not exceed ${MAX_CALLS} items`

interface CheckedCalls {
  messageIds: (string | null)[]
  inputs: { index: number; input: SourceCall }[]
  errors: { index: number; error: string }[]
}

const DESCRIPTION =
  'Takes the calls of the Segment protocol. identify creates or updates a contact, track fires an event, alias changes an externalId, ' +
  'group writes metadata. page and screen are ignored. A call of a user who is not known yet is kept for 10 minutes, and applied if an ' +
  'identify call follows. A call that cannot be applied does not affect the others. A track call with the ' +
  'same messageId fires its event once. Also accepts HTTP basic authentication with the key as user name.'

const definition = {
  method: 'POST',
  tag: 'Events',
  scope: 'contacts:write',
  takesBasic: true,
  bodyLimit: SOURCE_BODY_LIMIT,
  takesAnyQuery: true,
  transactional: false,
  responses: { 200: { description: 'The result.', schema: single(receivedResponse) } },
} as const

export const sourceOperations = [
  operation({
    ...definition,
    id: 'receiveSourceCalls',
    path: '/sources/segment',
    summary: 'Receive Segment calls',
    description: `${DESCRIPTION} The body is one call, or a batch of up to ${MAX_CALLS}.`,
    body: sourceSchema,
    errors: { 400: [WRONG_TYPE, BATCH_TOO_LONG] },
    prepare: checkBody,
    handle: ({ caller, prepared, call }, dependencies) => receive(dependencies, caller, prepared, call),
  }),

  operation({
    ...definition,
    id: 'receiveSourceBatch',
    path: '/sources/segment/v1/batch',
    summary: 'Receive a batch of Segment calls',
    description: `${DESCRIPTION} For senders that append /v1/batch to their address.`,
    body: batchSchema,
    errors: { 400: [BATCH_TOO_LONG] },
    prepare: checkBody,
    handle: ({ caller, prepared, call }, dependencies) => receive(dependencies, caller, prepared, call),
  }),
]

/** @throws {ApiError} `invalid_request` if the body is one call, and invalid */
async function checkBody({ body }: { body: { batch?: unknown[] | undefined } }): Promise<CheckedCalls> {
  const { batch } = body
  if (batch) return { messageIds: batch.map(messageIdOf), ...(await checkItems(batch, checkCall)) }
  return { messageIds: [messageIdOf(body)], inputs: [{ index: 0, input: checkCall(body) }], errors: [] }
}

const warningsOf = ({ kept }: ReceivedCalls): string[] =>
  kept === 0
    ? []
    : [
        `${kept} ${kept === 1 ? 'call is of a user' : 'calls are of users'} who ${kept === 1 ? 'is' : 'are'} not known yet. ` +
          `They are applied if an identify call with traits.email arrives within ${KEPT_MINUTES} minutes`,
      ]

async function receive(
  dependencies: ApiDependencies,
  { workspace, by, scopes }: Caller,
  { messageIds, inputs, errors }: CheckedCalls,
  call: Call,
) {
  const context = {
    workspaceId: workspace.id,
    source: by.kind === 'key' ? ('API' as const) : ('DASHBOARD' as const),
    isBulk: messageIds.length > 1,
    tellsWhose: scopes.includes('contacts:read'),
  }
  const received = await receiveCalls(dependencies, context, inputs, call)
  return { ...ok(presentReceived(messageIds, received, errors)), headers: warn(warningsOf(received)) }
}
