import { sql, toObjects } from '../../src/platform/db/sql.ts'
import { eventually } from './eventually.ts'
import type { Service } from './service.ts'

/** The settings that a service needs to send webhooks to this machine. */
export const WEBHOOK_ENV = { SECRETS_KEY: 'k'.repeat(44), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }

export interface RecordedEvent {
  id: string
  type: string
  contactId: string | null
  data: Record<string, unknown>
}

/** Creates a webhook over HTTP, by default one that polls all events. */
export async function aWebhook(
  service: Service,
  fields: object = {},
  options = {},
): Promise<{ id: string; secret: string }> {
  const { body } = await service.call('POST', 'webhooks', { events: ['*'], ...fields }, options)
  return body.data as { id: string; secret: string }
}

/** Reads the events of a workspace in the order in which they were recorded. */
export async function eventsOf(
  service: Service,
  { contactId, workspaceId = service.workspaceId }: { contactId?: string; workspaceId?: string } = {},
): Promise<RecordedEvent[]> {
  const rows = await sql(
    service.context.orm.em.fork(),
    `select id, type, contact_id, data from webhook_events
     where workspace_id = $1::uuid and ($2::uuid is null or contact_id = $2::uuid) order by position`,
    [workspaceId, contactId ?? null],
  )
  return toObjects<RecordedEvent>(rows)
}

/** Waits until a contact has an event of a type. */
export const recorded = (service: Service, contactId: string, type: string): Promise<RecordedEvent> =>
  eventually(`${type} is recorded`, async () =>
    (await eventsOf(service, { contactId })).find((event) => event.type === type),
  )
