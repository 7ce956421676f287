import { type Condition, conditionSql } from '../segments/index.ts'
import { suppressedBy } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { EmailCategory } from '../automation-engine/index.ts'

/** How a campaign's recipients are found. */
export interface Recipients {
  listIds: readonly string[]
  conditions: readonly Condition[]
  excludedListIds: readonly string[]
  excludedConditions: readonly Condition[]
}

/** A condition on a row `contact`: whether it is one of them. */
function isRecipient(of: Recipients, parameters: unknown[]): string {
  const inLists = (ids: readonly string[]) =>
    `exists (select from list_members member
       where member.contact_id = contact.id and member.list_id = any($${parameters.push(ids)}::uuid[]))`
  const oneOf = (listIds: readonly string[], conditions: readonly Condition[]) => {
    const parts = [
      ...(listIds.length > 0 ? [inLists(listIds)] : []),
      ...conditions.map((condition) => `(${conditionSql(condition, parameters)})`),
    ]
    return parts.length === 0 ? 'false' : `(${parts.join(' or ')})`
  }
  return `${oneOf(of.listIds, of.conditions)} and not ${oneOf(of.excludedListIds, of.excludedConditions)}`
}

/** How many contacts of a workspace it would be for, at this moment. */
export async function countRecipients(em: EntityManager, workspaceId: string, of: Recipients): Promise<number> {
  const parameters: unknown[] = [workspaceId]
  const where = isRecipient(of, parameters)
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::float8 as count from contacts contact where contact.workspace_id = $1::uuid and ${where}`,
    parameters,
  )
  return row?.count ?? 0
}

/** So many are looked at: there are some hundred, and anybody can write anything. */
const MAX_ZONES = 2_000

/** The time zones of those whom it would be for: whatever somebody has written, and `''` where nothing is. */
export async function zonesOfRecipients(em: EntityManager, workspaceId: string, of: Recipients): Promise<string[]> {
  const parameters: unknown[] = [workspaceId]
  const where = isRecipient(of, parameters)
  const rows = await sql<{ zone: string }>(
    em,
    `select distinct ${ZONE} as zone from contacts contact
     where contact.workspace_id = $1::uuid and ${where} limit ${MAX_ZONES}`,
    parameters,
  )
  return rows.map(({ zone }) => zone)
}

const ZONE = `coalesce(lower(contact.metadata ->> 'timezone'), '')`

/** In which of such zones somebody is who would be mailed. Who is suppressed would get nothing there. */
export async function zoneOfAnyMailed(
  em: EntityManager,
  workspaceId: string,
  of: Recipients,
  { zones, category }: { zones: readonly string[]; category: EmailCategory },
): Promise<string | undefined> {
  const parameters: unknown[] = [workspaceId, zones, category]
  const where = isRecipient(of, parameters)
  const [row] = await sql<{ zone: string }>(
    em,
    `select ${ZONE} as zone from contacts contact
     where contact.workspace_id = $1::uuid and ${ZONE} = any($2::text[]) and ${where}
       and ${suppressedBy('$3::text', 'null')} is null limit 1`,
    parameters,
  )
  return row?.zone
}

/** When a zone's clock shows the time at which a campaign is to be sent. */
export interface ZoneTime {
  zone: string
  at: Date
}

/** When recipients are to be mailed: by their zones, and those of whom none is known. */
export interface Times {
  zones: readonly ZoneTime[]
  fallback: Date
}

/** How far a campaign is. */
export interface PageOf {
  id: string
  workspaceId: string
  cursor: number
}

/** How many contacts are gone through for a page of recipients, and how many there are of those at most. */
export const CONTACTS_AT_ONCE = 2_000

/** The time zones that are known of the contacts that come next: whatever somebody has written. */
export async function zonesOfPage(em: EntityManager, { workspaceId, cursor }: PageOf): Promise<string[]> {
  const rows = await sql<{ zone: string }>(
    em,
    `select distinct lower(zone) as zone from (
       select metadata ->> 'timezone' as zone from contacts
       where workspace_id = $1::uuid and place > $2::bigint order by place limit $3::integer
     ) page where zone is not null`,
    [workspaceId, cursor, CONTACTS_AT_ONCE],
  )
  return rows.map(({ zone }) => zone)
}

/** A contact of a page whom the campaign is for. */
export interface RecipientRow {
  id: string
  /** The time zone, in lower case, as somebody has written it. */
  zone: string | null
  /** The campaign's lists that the contact is a member of. */
  listIds: string[]
}

/**
 * Reads a page of contacts, and who of them is a recipient, and locks the campaign and the recipients: nobody is erased before the
 * transaction ends.
 *
 * @returns `undefined` where somebody else has moved the campaign on, or it is not sending any more
 */
export async function recipientsPage(
  em: EntityManager,
  { id, workspaceId, cursor }: PageOf,
  of: Recipients,
  listIds: readonly string[],
): Promise<{ recipients: RecipientRow[]; last: number; isLast: boolean } | undefined> {
  const [campaign] = await sql<{ last_place: number }>(
    em,
    `select last_place::float8 from campaigns
     where id = $1::uuid and status = 'SENDING' and cursor = $2::bigint and not materialized for update`,
    [id, cursor],
  )
  if (!campaign) return undefined
  const [page] = await sql<{ last: number | null; count: number }>(
    em,
    `select max(place)::float8 as last, count(*)::integer as count from (
       select place from contacts where workspace_id = $1::uuid and place > $2::bigint and place <= $3::bigint
       order by place limit $4::integer
     ) page`,
    [workspaceId, cursor, campaign.last_place, CONTACTS_AT_ONCE],
  )
  const last = page?.last ?? campaign.last_place
  const parameters: unknown[] = [workspaceId, cursor, last, listIds]
  const where = isRecipient(of, parameters)
  const recipients = await sql<RecipientRow>(
    em,
    `select contact.id, lower(contact.metadata ->> 'timezone') as zone, array(
       select list_id::text from list_members
       where contact_id = contact.id and list_id = any($4::uuid[])
     ) as "listIds"
     from contacts contact
     where contact.workspace_id = $1::uuid and contact.place > $2::bigint and contact.place <= $3::bigint and ${where}
     order by contact.id for key share of contact`,
    parameters,
  )
  return { recipients, last, isLast: (page?.count ?? 0) < CONTACTS_AT_ONCE }
}

/** Notes how far a campaign is. The caller has locked it. */
export async function advanceCursor(
  em: EntityManager,
  id: string,
  { cursor, materialized, queued }: { cursor: number; materialized: boolean; queued: number },
): Promise<{ cursor: number; materialized: boolean }> {
  await sql(
    em,
    `update campaigns set cursor = $2::bigint, materialized = $3::boolean, recipient_count = recipient_count + $4::integer
     where id = $1::uuid`,
    [id, cursor, materialized, queued],
  )
  return { cursor, materialized }
}
