import { LockMode } from '@mikro-orm/core'
import { withSecretsKey } from '../platform/secrets-key.ts'
import { newSigningSecret } from '../platform/webhook-signature.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, inTransaction, unitOf } from '../platform/db/sql.ts'
import { ApiError, invalid } from '../platform/api-error.ts'
import { isId } from '../platform/ids.ts'
import { isNeverPublic } from '../platform/public-request.ts'
import type { Secrets } from '../platform/secrets.ts'
import { WebhookEndpoint, type EndpointStatus } from './entities.ts'
import type { ALL_EVENTS, EventType } from './event-types.ts'
import { MAX_ENDPOINTS, WEBHOOK_LIMIT_REACHED, WEBHOOK_NOT_FOUND } from './errors.ts'
import { deleteDeliveries, lockWorkspaceEndpoints } from './queries.ts'

export interface EndpointInput {
  url?: string | null | undefined
  events: readonly (EventType | typeof ALL_EVENTS)[]
  description?: string | null | undefined
}

export type EndpointChange = { [Field in keyof EndpointInput]?: EndpointInput[Field] | undefined } & {
  status?: EndpointStatus | undefined
}

/** The dependencies of endpoints. */
interface Given {
  em: EntityManager
  secrets: Secrets
  /** Names and addresses in private networks that webhooks may reach. */
  webhookAllowedHosts: readonly string[]
}

/** Hours for which the secret before a rotation signs, too. */
export const OVERLAP_HOURS = 24

/** Purpose of the encrypted secret: see `Secrets.encrypt`. */
export const secretPurpose = (endpointId: string): string => `webhook endpoint ${endpointId}`

/** Lists all endpoints of a workspace, oldest first. */
export const listEndpoints = (em: EntityManager, workspaceId: string): Promise<WebhookEndpoint[]> =>
  unitOf(em).find(WebhookEndpoint, { workspaceId }, { ...FRESH_READ, orderBy: { createdAt: 'asc', id: 'asc' } })

/** @throws {ApiError} `webhook_not_found` */
export async function getEndpoint(em: EntityManager, workspaceId: string, id: string): Promise<WebhookEndpoint> {
  const found = isId(id) ? await unitOf(em).findOne(WebhookEndpoint, { id, workspaceId }, FRESH_READ) : null
  if (!found) throw new ApiError(WEBHOOK_NOT_FOUND)
  return found
}

/**
 * Creates an endpoint. Events of its types are recorded from the commit on.
 *
 * @returns the endpoint and its secret
 * @throws {ApiError} `invalid_request` for a private address; `webhook_limit_reached`; `secrets_key_missing`
 */
export async function createEndpoint(
  { em, secrets, webhookAllowedHosts }: Given,
  workspaceId: string,
  { url = null, events, description = null }: EndpointInput,
  id: string,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  assertPublic(url, webhookAllowedHosts)
  const unit = unitOf(em)
  if ((await lockWorkspaceEndpoints(unit, workspaceId)) >= MAX_ENDPOINTS) throw new ApiError(WEBHOOK_LIMIT_REACHED)
  const secret = newSigningSecret()
  const encrypted = await encrypt(secrets, id, secret)
  const now = new Date()
  const endpoint = unit.create(WebhookEndpoint, {
    id,
    workspaceId,
    url,
    events: distinct(events),
    description,
    status: 'ENABLED',
    secret: encrypted,
    createdAt: now,
    updatedAt: now,
  })
  await unit.flush()
  return { endpoint, secret }
}

/**
 * Updates an endpoint. Absent fields stay unchanged. Pending deliveries of a disabled endpoint wait until it is enabled.
 *
 * @throws {ApiError} `webhook_not_found`; `invalid_request` for a private address
 */
export async function updateEndpoint(
  { em, webhookAllowedHosts }: Given,
  workspaceId: string,
  id: string,
  { url, events, description, status }: EndpointChange,
): Promise<WebhookEndpoint> {
  assertPublic(url, webhookAllowedHosts)
  const unit = unitOf(em)
  const endpoint = isId(id) ? await unit.findOne(WebhookEndpoint, { id, workspaceId }) : null
  if (!endpoint) throw new ApiError(WEBHOOK_NOT_FOUND)
  if (url !== undefined) endpoint.url = url
  if (events !== undefined) endpoint.events = distinct(events)
  if (description !== undefined) endpoint.description = description
  if (status !== undefined && status !== endpoint.status) {
    endpoint.status = status
    endpoint.disabledReason = null
    endpoint.disabledAt = status === 'DISABLED' ? new Date() : null
  }
  // The days of failures start again for another server.
  if (url !== undefined || status === 'ENABLED') {
    endpoint.failingSince = null
    endpoint.failures = 0
  }
  endpoint.updatedAt = new Date()
  await unit.flush()
  return endpoint
}

/** Deletes an endpoint with its deliveries. @throws {ApiError} `webhook_not_found` */
export async function deleteEndpoint(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  const unit = unitOf(em)
  const endpoint = await getEndpoint(unit, workspaceId, id)
  // In lock order. A delivery that is enqueued in the meantime is not sent, and is deleted with its event.
  await deleteDeliveries(unit, endpoint.id)
  await unit.nativeDelete(WebhookEndpoint, { id: endpoint.id })
}

/** Returns the current secret. @throws {ApiError} `webhook_not_found`; `secrets_key_missing` */
export async function getSecret(em: EntityManager, secrets: Secrets, workspaceId: string, id: string): Promise<string> {
  const { secret } = await getEndpoint(em, workspaceId, id)
  return withSecretsKey(() => secrets.decrypt(secret, secretPurpose(id)))
}

/** Replaces the secret. The one before signs, too, for a day. @throws {ApiError} `webhook_not_found`; `secrets_key_missing` */
export async function rotateSecret(
  em: EntityManager,
  secrets: Secrets,
  workspaceId: string,
  id: string,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  return inTransaction(em, async (unit) => {
    // Locked, so that of two concurrent calls the second one keeps the secret of the first.
    const options = { lockMode: LockMode.PESSIMISTIC_WRITE }
    const endpoint = isId(id) ? await unit.findOne(WebhookEndpoint, { id, workspaceId }, options) : null
    if (!endpoint) throw new ApiError(WEBHOOK_NOT_FOUND)
    const secret = newSigningSecret()
    const encrypted = await encrypt(secrets, id, secret)
    endpoint.previousSecret = endpoint.secret
    endpoint.previousUntil = new Date(Date.now() + OVERLAP_HOURS * 3_600_000)
    endpoint.secret = encrypted
    endpoint.updatedAt = new Date()
    await unit.flush()
    return { endpoint, secret }
  })
}

const encrypt = (secrets: Secrets, id: string, secret: string): Promise<Buffer> =>
  withSecretsKey(() => secrets.encrypt(secret, secretPurpose(id)))

const distinct = <Name>(names: readonly Name[]): Name[] => [...new Set(names)]

/** Rejects the addresses that no request would be sent to. A name is checked when it is resolved. */
function assertPublic(url: string | null | undefined, allowedHosts: readonly string[]): void {
  if (url != null && isNeverPublic(url, allowedHosts))
    throw invalid(
      'url must not be an address in a private network. The operator can allow it in WEBHOOK_ALLOWED_HOSTS.',
      '/url',
    )
}
