import { emailKey } from '../platform/email-address.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { splitMetadata } from './metadata.ts'
import { removal, without } from './metadata-queries.ts'

/** What is changed of a contact; what is absent stays as it is. */
export interface ContactChange {
  email?: string | undefined
  /** `null` takes it away. */
  externalId?: string | null | undefined
  firstName?: string | null | undefined
  /** Merged key by key; a `null` removes that key. */
  metadata?: Record<string, unknown> | undefined
}

/** Changes a contact, in one statement: metadata is merged with what is stored at that moment. */
export async function changeContact(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { email, externalId, firstName, metadata = {} }: ContactChange,
): Promise<void> {
  const { set, removedKeys } = splitMetadata(metadata)
  await sql(em, CHANGE, [
    workspaceId,
    id,
    email ?? null,
    email === undefined ? null : emailKey(email),
    externalId !== undefined,
    externalId ?? null,
    firstName !== undefined,
    firstName ?? null,
    JSON.stringify(set),
    removedKeys.length > 0 ? JSON.stringify(removal(removedKeys)) : null,
  ])
}

/** Locks a contact whose address is to change. */
export async function lockForAddress(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  await sql(em, 'select from contacts where workspace_id = $1::uuid and id = $2::uuid for update', [workspaceId, id])
}

/** Who wants no mail, or is to get none, gets none at a new address either: what is known of an old mailbox stays with that one. */
export async function carryWish(
  em: EntityManager,
  workspaceId: string,
  { from, to, key }: { from: string; to: string; key: string },
): Promise<void> {
  await sql(
    em,
    `insert into suppressions (id, workspace_id, address_hash, reason, email, note)
     select gen_random_uuid(), $1::uuid, address_hash($1::uuid, $4::text), reason, $3::text, note
     from suppressions
     where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, $2::text)
       and reason <> 'BOUNCED'
     on conflict (workspace_id, address_hash, reason) do update set email = coalesce(suppressions.email, excluded.email)`,
    [workspaceId, from, to, key],
  )
}

const CHANGE = `
update contacts set
  email = coalesce($3::text, email),
  email_key = coalesce($4::text, email_key),
  external_id = case when $5::boolean then $6::text else external_id end,
  first_name = case when $7::boolean then $8::text else first_name end,
  metadata = ${without('(metadata || $9::jsonb)', '$10::jsonb')},
  updated_at = now()
where workspace_id = $1::uuid and id = $2::uuid`
