import type { EntityManager } from '../orm.ts'
import { nullObject } from '../../domain/metadata.ts'
import { sql, toDate } from '../sql.ts'
import type { TriggerEvent } from './trigger-events.ts'

export interface ContactWrite {
  /** The id it gets if it is new. */
  id: string
  /** The id of the trigger event that its creation writes, where an automation listens for sign-ups. */
  eventId: string
  email: string
  emailKey: string
  /** `undefined` leaves an existing contact's as it is. */
  firstName: string | null | undefined
  /** Keys to set. */
  metadata: Record<string, unknown>
  /** Keys to remove. */
  removedKeys: string[]
}

export interface WrittenContact {
  id: string
  email: string
  emailKey: string
  firstName: string | null
  metadata: Record<string, unknown>
  createdAt: Date
  updatedAt: Date
  created: boolean
  /** The sign-up that its creation wrote, where automations listen for sign-ups. */
  signUp: TriggerEvent | undefined
}

/**
 * Writes contacts in one statement, however many, and with them the sign-ups that start automations.
 * No email may come twice (error 21000). Rows are written in the order of their key: concurrent calls that
 * share contacts wait for each other, and never in a circle.
 *
 * What an update needs to know beyond the new values (keys to remove, a first name to keep) comes as one object
 * by email, because `excluded` holds only what an insert would have written.
 *
 * @param leaseSeconds how long the caller keeps the sign-ups for itself to deliver; 0 leaves them to the relay.
 */
export async function upsertContacts(
  em: EntityManager,
  workspaceId: string,
  contacts: readonly ContactWrite[],
  leaseSeconds: number,
): Promise<WrittenContact[]> {
  const updates: Record<string, { keepFirstName?: true; remove?: string[] }> = nullObject()
  for (const contact of contacts) {
    if (contact.firstName !== undefined && contact.removedKeys.length === 0) continue
    updates[contact.emailKey] = {
      ...(contact.firstName === undefined ? { keepFirstName: true } : {}),
      ...(contact.removedKeys.length > 0 ? { remove: contact.removedKeys } : {}),
    }
  }
  const items = contacts.map((contact) => ({
    id: contact.id,
    event_id: contact.eventId,
    email: contact.email,
    email_key: contact.emailKey,
    first_name: contact.firstName ?? null,
    metadata: contact.metadata,
  }))
  const rows = await sql<UpsertRow>(em, UPSERT, [
    workspaceId,
    JSON.stringify(items),
    JSON.stringify(updates),
    leaseSeconds,
  ])
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    emailKey: row.email_key,
    firstName: row.first_name,
    metadata: row.metadata,
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
    created: row.created,
    signUp:
      row.event_id && row.automation_ids
        ? { id: row.event_id, workspaceId, contactId: row.id, type: 'SIGNUP', automationIds: row.automation_ids }
        : undefined,
  }))
}

interface UpsertRow {
  id: string
  email: string
  email_key: string
  first_name: string | null
  metadata: Record<string, unknown>
  created_at: string
  updated_at: string
  created: boolean
  event_id: string | null
  automation_ids: string[] | null
}

const UPSERT = `
with items as (
  select * from jsonb_to_recordset($2::jsonb)
    as item(id uuid, event_id uuid, email text, email_key text, first_name text, metadata jsonb)
),
written as (
  insert into contacts as contact (id, workspace_id, email, email_key, first_name, metadata)
  select id, $1::uuid, email, email_key, first_name, metadata from items order by email_key
  on conflict (workspace_id, email_key) do update set
    email = excluded.email,
    first_name = case
      when $3::jsonb -> excluded.email_key -> 'keepFirstName' is null then excluded.first_name
      else contact.first_name
    end,
    metadata = (contact.metadata || excluded.metadata)
      - array(select jsonb_array_elements_text($3::jsonb -> excluded.email_key -> 'remove')),
    updated_at = now()
  returning id, email, email_key, first_name, metadata, created_at, updated_at, xmax = 0 as created
),
listening as (
  select array_agg(id) as automation_ids from automations
  where workspace_id = $1::uuid and trigger = 'SIGNUP' and trigger_key = '' and status = 'ACTIVE' and deleted_at is null
),
signed_up as (
  insert into trigger_events (id, workspace_id, contact_id, type, name, automation_ids, lease_until)
  select items.event_id, $1::uuid, written.id, 'SIGNUP', '', listening.automation_ids, now() + make_interval(secs => $4)
  from written join items using (email_key) cross join listening
  where written.created and listening.automation_ids is not null
  returning id as event_id, contact_id as id, automation_ids
)
select * from written left join signed_up using (id)`
