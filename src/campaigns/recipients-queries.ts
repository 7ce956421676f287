import { pageSizes } from '../platform/page-sizes.ts'
import { type ConditionContext, conditionSql, type ResolvedCondition } from '../segments/index.ts'
import { type ContactSuppressedBy, suppressedBy, suppressedContacts } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { EmailCategory } from '../automation-engine/index.ts'

/** How a campaign's recipients are selected. */
export interface Recipients {
  /** The instant to which relative dates in conditions refer. */
  at: Date
  listIds: readonly string[]
  conditions: readonly ResolvedCondition[]
  excludedListIds: readonly string[]
  excludedConditions: readonly ResolvedCondition[]
}

/** SQL condition: whether the row `contact` is a recipient. */
function isRecipient(of: Recipients, parameters: unknown[], context: Omit<ConditionContext, 'at'>): string {
  const inLists = (ids: readonly string[]) =>
    `exists (select from list_members member
       where member.contact_id = contact.id and member.list_id = any($${parameters.push(ids)}::uuid[]))`
  const oneOf = (listIds: readonly string[], conditions: readonly ResolvedCondition[]) => {
    const parts = [
      ...(listIds.length > 0 ? [inLists(listIds)] : []),
      ...conditions.map((condition) => `(${conditionSql(condition, parameters, { ...context, at: of.at })})`),
    ]
    return parts.length === 0 ? 'false' : `(${parts.join(' or ')})`
  }
  return `${oneOf(of.listIds, of.conditions)} and not ${oneOf(of.excludedListIds, of.excludedConditions)}`
}

/** Returns whether a campaign has a recipient at this moment. */
export async function hasRecipients(em: EntityManager, workspaceId: string, of: Recipients): Promise<boolean> {
  const parameters: unknown[] = [workspaceId]
  const where = isRecipient(of, parameters, { workspaceId })
  const rows = await sql(
    em,
    `select from contacts contact where contact.workspace_id = $1::uuid and ${where} limit 1`,
    parameters,
  )
  return rows.length > 0
}

/** Counts the recipients of a campaign at this moment, and those of them who would not be emailed, by reason. */
export async function countRecipients(
  em: EntityManager,
  workspaceId: string,
  of: Recipients,
  category: EmailCategory,
): Promise<{ recipients: number; suppressed: { reason: ContactSuppressedBy; count: number }[] }> {
  const parameters: unknown[] = [workspaceId, category]
  const where = isRecipient(of, parameters, { workspaceId })
  const rows = await sql<{ reason: ContactSuppressedBy | null; count: number }>(
    em,
    `select null as reason, count(*)::float8 as count from contacts contact
     where contact.workspace_id = $1::uuid and $2::text is not null and ${where}
     union all (
       select reason, count(*)::float8
       from ${suppressedContacts('$1::uuid', '$2::text')} suppressed join contacts contact using (id)
       where ${where} group by reason order by count(*) desc, reason
     )`,
    parameters,
  )
  const suppressed = rows.flatMap(({ reason, count }) => (reason === null ? [] : [{ reason, count }]))
  return { recipients: rows.find(({ reason }) => reason === null)?.count ?? 0, suppressed }
}

/** Maximum number of zones read: a few hundred exist, but the metadata can contain any text. */
const MAX_ZONES = 2_000

/** Reads the time zones of the recipients as stored in their metadata; `''` for contacts without one. */
export async function zonesOfRecipients(em: EntityManager, workspaceId: string, of: Recipients): Promise<string[]> {
  const parameters: unknown[] = [workspaceId]
  const where = isRecipient(of, parameters, { workspaceId })
  const rows = await sql<{ zone: string }>(
    em,
    `select distinct ${ZONE} as zone from contacts contact
     where contact.workspace_id = $1::uuid and ${where} limit ${MAX_ZONES}`,
    parameters,
  )
  return rows.map(({ zone }) => zone)
}

const ZONE = `coalesce(lower(contact.metadata ->> 'timezone'), '')`

/** Returns one of these zones in which a recipient would be mailed. Ignores suppressed contacts. */
export async function findZoneWithRecipient(
  em: EntityManager,
  workspaceId: string,
  of: Recipients,
  { zones, category }: { zones: readonly string[]; category: EmailCategory },
): Promise<string | undefined> {
  const parameters: unknown[] = [workspaceId, zones, category]
  const where = isRecipient(of, parameters, { workspaceId })
  const [row] = await sql<{ zone: string }>(
    em,
    `select ${ZONE} as zone from contacts contact
     where contact.workspace_id = $1::uuid and ${ZONE} = any($2::text[]) and ${where}
       and ${suppressedBy('$3::text', 'null')} is null limit 1`,
    parameters,
  )
  return row?.zone
}

/** When a zone's clocks show the time at which a campaign is sent. */
export interface ZoneTime {
  zone: string
  at: Date
}

/** Send times of recipients, by zone, and for contacts without a known zone. */
export interface SendTimes {
  zones: readonly ZoneTime[]
  fallback: Date
}

/** Position of a campaign in the contacts. */
export interface CampaignPosition {
  id: string
  workspaceId: string
  cursor: number
}

/** Reads the time zones in the metadata of the next contacts. They are not validated. */
export async function zonesOfPage(em: EntityManager, { workspaceId, cursor }: CampaignPosition): Promise<string[]> {
  const rows = await sql<{ zone: string }>(
    em,
    `select distinct lower(zone) as zone from (
       select metadata ->> 'timezone' as zone from contacts
       where workspace_id = $1::uuid and place > $2::bigint order by place limit $3::integer
     ) page where zone is not null`,
    [workspaceId, cursor, pageSizes.campaignContacts],
  )
  return rows.map(({ zone }) => zone)
}

/** A contact of a page that is a recipient. */
export interface RecipientRow {
  id: string
  /** The time zone from the metadata, in lower case. */
  zone: string | null
  /** The campaign's lists that the contact is a member of. */
  listIds: string[]
}

/**
 * Reads a page of contacts, determines which are recipients, and locks the campaign and the recipients, so that none is erased
 * before the transaction ends.
 *
 * @returns `undefined` if another process advanced the campaign, or it is no longer sending
 */
export async function recipientsPage(
  em: EntityManager,
  { id, workspaceId, cursor }: CampaignPosition,
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
    [workspaceId, cursor, campaign.last_place, pageSizes.campaignContacts],
  )
  const last = page?.last ?? campaign.last_place
  const parameters: unknown[] = [workspaceId, cursor, last, listIds]
  const where = isRecipient(of, parameters, { workspaceId, isForFew: true })
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
  return { recipients, last, isLast: (page?.count ?? 0) < pageSizes.campaignContacts }
}

/** Stores the position of a campaign. The caller has locked it. */
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
