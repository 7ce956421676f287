import type { EntityManager } from '../platform/db/orm.ts'
import { isAfterCursor, microsOf, type Cursor, toItems } from '../platform/db/newest-page.ts'
import { inTransaction, preparedSql, sql } from '../platform/db/sql.ts'
import { readSubscriptions, recordWebhookFacts } from '../webhooks/index.ts'
import type { SuppressionReason } from './suppression.ts'

export interface SuppressionRow {
  id: string
  /** `null` if its contact was erased. */
  email: string | null
  reason: SuppressionReason
  note: string | null
  createdAt: Date
  place: Cursor
}

const COLUMNS = `id, email, reason, note, created_at, ${microsOf('created_at')}`

export interface SuppressionWrite {
  id: string
  email: string
  key: string
  reason: SuppressionReason
  note: string | null
}

/** Suppresses an address, once for each reason. @returns the suppression, and whether it is new */
export async function insertSuppression(
  em: EntityManager,
  workspaceId: string,
  { id, email, key, reason, note }: SuppressionWrite,
): Promise<{ suppression: SuppressionRow; isNew: boolean }> {
  const rows = await sql(
    em,
    `insert into suppressions as kept (id, workspace_id, address_hash, reason, email, note)
     values ($1::uuid, $2::uuid, address_hash($2::uuid, $4::text), $5::text, $3::text, $6::text)
     on conflict (workspace_id, address_hash, reason) do update
       set email = coalesce(kept.email, excluded.email), note = coalesce(excluded.note, kept.note)
     returning ${COLUMNS}, address_hash, xmax = 0 as is_new`,
    [id, workspaceId, email, key, reason, note],
  )
  const [row] = toItems<SuppressionRow & SuppressedAddress & { isNew: boolean }>(rows, 'createdAt')
  const { isNew, addressHash, ...suppression } = row!
  if (isNew) await recordOptOuts(em, workspaceId, 'contact.unsubscribed', [{ addressHash, reason }])
  return { suppression, isNew }
}

/** Suppresses many addresses. Existing suppressions stay unchanged. @returns the IDs of the new ones */
export async function insertSuppressions(
  em: EntityManager,
  workspaceId: string,
  suppressions: readonly SuppressionWrite[],
): Promise<Set<string>> {
  const rows = await sql<SuppressedAddress & { id: string }>(
    em,
    `insert into suppressions (id, workspace_id, address_hash, reason, email, note)
     select id, $1::uuid, address_hash($1::uuid, key), reason, email, note
     from jsonb_to_recordset($2::jsonb) as item(id uuid, email text, key text, reason text, note text)
     order by address_hash($1::uuid, key), reason
     on conflict do nothing returning id, reason, address_hash as "addressHash"`,
    [workspaceId, JSON.stringify(suppressions)],
  )
  await recordOptOuts(em, workspaceId, 'contact.unsubscribed', rows)
  return new Set(rows.map(({ id }) => id))
}

/** Returns which addresses are suppressed, for any reason. */
export async function suppressedKeys(
  em: EntityManager,
  workspaceId: string,
  emailKeys: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ key: string }>(
    em,
    `select key from unnest($2::text[]) key where exists (
       select from suppressions where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, key)
     )`,
    [workspaceId, emailKeys],
  )
  return new Set(rows.map(({ key }) => key))
}

/** An address of a workspace. `key` is its `emailKey`. */
export interface AddressRef {
  workspaceId: string
  key: string
}

/** Reads why addresses are suppressed, in their order. */
export async function suppressionsOf(
  em: EntityManager,
  addresses: readonly AddressRef[],
): Promise<readonly (readonly SuppressionReason[])[]> {
  const rows = await preparedSql<{ reasons: SuppressionReason[] }>(em, 'suppressions-of', SUPPRESSIONS_OF, [
    addresses.map(({ workspaceId }) => workspaceId),
    addresses.map(({ key }) => key),
  ])
  return rows.map(({ reasons }) => reasons)
}

const SUPPRESSIONS_OF = `
select array(
  select reason from suppressions
  where workspace_id = address.workspace_id and address_hash = address_hash(address.workspace_id, key)
) as reasons
from unnest($1::uuid[], $2::text[]) with ordinality as address(workspace_id, key, place) order by place`

const ADDRESS_LOCK = `hashtextextended('address ' || workspace_id || ' ' || key, 0)`

/**
 * Locks an address, of which there may be no contact, until the transaction ends.
 *
 * Race: the address is suppressed while a transactional email to it is claimed. Guard: the claim shares the lock, and reads the
 * suppressions after that. Test: test/emails/stops.test.ts.
 */
export async function lockAddress(em: EntityManager, { workspaceId, key }: AddressRef): Promise<void> {
  await sql(
    em,
    `select pg_advisory_xact_lock(${ADDRESS_LOCK}) from (select $1::uuid as workspace_id, $2::text as key) address`,
    [workspaceId, key],
  )
}

/** Shares the locks of addresses, in one order, until the transaction ends. */
export async function lockAddressesShared(em: EntityManager, addresses: readonly AddressRef[]): Promise<void> {
  await preparedSql(em, 'share-addresses', SHARE_ADDRESSES, [
    addresses.map(({ workspaceId }) => workspaceId),
    addresses.map(({ key }) => key),
  ])
}

const SHARE_ADDRESSES = `
select pg_advisory_xact_lock_shared(lock) from (
  select distinct ${ADDRESS_LOCK} as lock from unnest($1::uuid[], $2::text[]) as address(workspace_id, key) order by 1
) locks`

/** A page of a workspace's suppressions, newest first. */
export async function suppressionPage(
  em: EntityManager,
  workspaceId: string,
  {
    key,
    reason,
    behind,
    limit,
  }: { key?: string | undefined; reason?: string | undefined; behind?: Cursor | undefined; limit: number },
): Promise<SuppressionRow[]> {
  const rows = await sql(
    em,
    `select ${COLUMNS} from suppressions
     where workspace_id = $1::uuid and ($2::text is null or address_hash = address_hash($1::uuid, $2::text))
       and ($3::text is null or reason = $3::text)
       and ${isAfterCursor('created_at', '$4', '$5')}
     order by created_at desc, id desc limit $6`,
    [workspaceId, key ?? null, reason ?? null, behind?.micros ?? null, behind?.id ?? null, limit],
  )
  return toItems<SuppressionRow>(rows, 'createdAt')
}

/** Deletes a suppression. @returns whether there was one */
export async function deleteSuppression(em: EntityManager, workspaceId: string, id: string): Promise<boolean> {
  return deleteWhere(em, workspaceId, 'id = $2::uuid', id)
}

/** Deletes the suppressions of an address that its owner requested. */
export async function deleteOwnSuppressions(em: EntityManager, workspaceId: string, key: string): Promise<void> {
  await deleteWhere(em, workspaceId, `address_hash = address_hash($1::uuid, $2::text) and reason in ${OPT_OUTS}`, key)
}

const deleteWhere = (em: EntityManager, workspaceId: string, condition: string, parameter: string): Promise<boolean> =>
  inTransaction(em, async (unit) => {
    const rows = await sql<SuppressedAddress>(
      unit,
      `delete from suppressions where workspace_id = $1::uuid and ${condition} returning reason, address_hash as "addressHash"`,
      [workspaceId, parameter],
    )
    await recordOptOuts(unit, workspaceId, 'contact.resubscribed', rows)
    return rows.length > 0
  })

/** Suppressions by which contacts unsubscribed from all marketing email. */
const OPT_OUTS = `('UNSUBSCRIBED', 'IMPORTED')`

interface SuppressedAddress {
  addressHash: Buffer
  reason: SuppressionReason
}

/** Records that contacts unsubscribed from all marketing email, or subscribed again. An address may have no contact. */
async function recordOptOuts(
  em: EntityManager,
  workspaceId: string,
  type: 'contact.unsubscribed' | 'contact.resubscribed',
  suppressions: readonly SuppressedAddress[],
): Promise<void> {
  const hashes = suppressions
    .filter(({ reason }) => reason === 'UNSUBSCRIBED' || reason === 'IMPORTED')
    .map(({ addressHash }) => addressHash)
  if (hashes.length === 0) return
  const subscriptions = await readSubscriptions(em, [workspaceId])
  if (!subscriptions.want(workspaceId, type)) return
  // A contact may still be suppressed for the other reason.
  const isStill = `exists (
    select from suppressions where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, contact.email_key)
      and reason in ${OPT_OUTS}
  )`
  const contacts = await sql<{ id: string }>(
    em,
    `select id from contacts contact
     where workspace_id = $1::uuid and address_hash(workspace_id, email_key) = any($2::bytea[])
       ${type === 'contact.resubscribed' ? `and not ${isStill}` : ''}
     order by place`,
    [workspaceId, hashes],
  )
  const facts = contacts.map(({ id: contactId }) => ({ type, workspaceId, contactId, listId: null }))
  await recordWebhookFacts(em, facts, subscriptions)
}

/**
 * Copies a contact's suppressions to their new address. A bounce stays with the old mailbox. No event is recorded: the contact had
 * unsubscribed before.
 */
export async function copySuppressions(
  em: EntityManager,
  workspaceId: string,
  { from, to, key }: { from: string; to: string; key: string },
): Promise<void> {
  await sql(
    em,
    `insert into suppressions (id, workspace_id, address_hash, reason, email, note)
     select gen_random_uuid(), $1::uuid, address_hash($1::uuid, $4::text), reason, $3::text, note
     from suppressions
     where workspace_id = $1::uuid and address_hash = address_hash($1::uuid, $2::text) and reason <> 'BOUNCED'
     on conflict (workspace_id, address_hash, reason) do update set email = coalesce(suppressions.email, excluded.email)`,
    [workspaceId, from, to, key],
  )
}
/**
 * Suppresses the addresses of an erased contact, by hash.
 *
 * Race: a contact who was created again with one of them is erased, while this records an event with the address. Guard: the erasure
 * waits for this lock, and deletes the event. Test: test/webhooks/erasure.test.ts.
 */
export async function suppressHashes(
  em: EntityManager,
  workspaceId: string,
  hashes: readonly Buffer[],
  reason: SuppressionReason,
): Promise<void> {
  await inTransaction(em, async (unit) => {
    await sql(
      unit,
      `select from contacts where workspace_id = $1::uuid and address_hash(workspace_id, email_key) = any($2::bytea[])
       order by id for key share`,
      [workspaceId, hashes],
    )
    const rows = await sql<SuppressedAddress>(
      unit,
      `insert into suppressions (id, workspace_id, address_hash, reason)
       select gen_random_uuid(), $1::uuid, hash, $3::text from unnest($2::bytea[]) hash order by hash
       on conflict do nothing returning reason, address_hash as "addressHash"`,
      [workspaceId, hashes, reason],
    )
    await recordOptOuts(unit, workspaceId, 'contact.unsubscribed', rows)
  })
}

/** Removes the addresses from the suppressions of a contact that is being erased; the hashes stay. */
export async function anonymizeSuppressions(
  em: EntityManager,
  contactId: string,
  formerKeys: readonly string[],
): Promise<void> {
  await sql(
    em,
    `update suppressions set email = null, note = null from contacts contact
     where contact.id = $1::uuid and suppressions.workspace_id = contact.workspace_id and (
       address_hash = address_hash(contact.workspace_id, contact.email_key)
       -- Former addresses, unless they now belong to another contact.
       or address_hash in (
         select address_hash(contact.workspace_id, key) from unnest($2::text[]) key
         where not exists (
           select from contacts other
           where other.workspace_id = contact.workspace_id and other.email_key = key and other.id <> $1::uuid
         )
       )
     )`,
    [contactId, formerKeys],
  )
}
