import { type Condition, conditionSql, listsRequiredBy } from '../segments/index.ts'
import { suppressedBy } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { EmailCategory } from '../sequences/index.ts'
import type { AbTest } from './ab-test.ts'

/** Whom a page of recipients is looked for by. */
export interface Recipients {
  listIds: readonly string[]
  conditions: readonly Condition[]
  excludedListIds: readonly string[]
  excludedConditions: readonly Condition[]
}

/** In which lists everybody is whom the segments have. */
function requiredLists({ conditions: [first, ...others] }: Recipients): string[] {
  return first
    ? listsRequiredBy(first).filter((id) => others.every((other) => listsRequiredBy(other).includes(id)))
    : []
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
const MOST_ZONES = 2_000

/** The time zones of those whom it would be for: whatever somebody has written, and `''` where nothing is. */
export async function zonesOfRecipients(em: EntityManager, workspaceId: string, of: Recipients): Promise<string[]> {
  const parameters: unknown[] = [workspaceId]
  const where = isRecipient(of, parameters)
  const rows = await sql<{ zone: string }>(
    em,
    `select distinct ${ZONE} as zone from contacts contact
     where contact.workspace_id = $1::uuid and ${where} limit ${MOST_ZONES}`,
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

/** How recipients are drawn for variants, where there are several. */
type Draw = Pick<AbTest, 'testPercent' | 'variants'>

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

/**
 * Writes a page of a campaign's recipients into the ledger, and moves on to the next one, in one statement: what was written is
 * what was gone through, whatever crashes. A contact that is there already stays as it is. Nobody is mailed by this.
 *
 * @param cursor how far it was: where somebody else has gone on since, nothing is done
 * @param times when it is due, by the zones of recipients; `null`: at once
 * @returns how many are written, and how far it is; `undefined` where somebody else has gone on, or it is not sending any more
 */
export async function walkRecipients(
  em: EntityManager,
  campaign: PageOf & { abTest?: Draw | null },
  of: Recipients,
  times: Times | null,
): Promise<{ written: number; cursor: number; walked: boolean } | undefined> {
  const parameters: unknown[] = [
    campaign.id,
    campaign.workspaceId,
    campaign.cursor,
    CONTACTS_AT_ONCE,
    times?.zones.map(({ zone }) => zone.toLowerCase()) ?? [],
    times?.zones.map(({ at }) => at.toISOString()) ?? [],
    times?.fallback.toISOString() ?? null,
    campaign.abTest?.testPercent ?? null,
    (campaign.abTest?.variants.length ?? 0) + 1,
    JSON.stringify(requiredLists(of)),
  ]
  const where = isRecipient(of, parameters)
  const [row] = await sql<{ written: number; cursor: number; walked: boolean }>(
    em,
    `with campaign as (
       select id, last_place from campaigns
       where id = $1::uuid and status = 'SENDING' and cursor = $3::bigint and not walked for update
     ),
     page as (
       select contact.id, contact.place from contacts contact, campaign
       where contact.workspace_id = $2::uuid and contact.place > $3::bigint and contact.place <= campaign.last_place
       order by contact.place limit $4::integer
     ),
     chosen as (
       select contact.id, contact.metadata ->> 'timezone' as zone,
         -- By lot, and by the same one whenever it is drawn.
         ('x' || substr(md5($1::text || contact.id::text), 1, 8))::bit(32)::bigint as lot
       from page join contacts contact on contact.id = page.id
       where ${where}
       -- Who is being erased at this moment has no message behind that.
       for key share of contact
     ),
     written as (
       insert into messages (id, workspace_id, contact_id, campaign_id, status, claim, attempts, variant, due_at)
       select gen_random_uuid(), $2::uuid, chosen.id, $1::uuid, 'QUEUED', gen_random_uuid(), 0,
         case when lot % 10000 < $8::integer * 100 then (lot / 10000) % $9::integer end,
         -- The rest waits until it is known which one is best.
         case when lot % 10000 >= $8::integer * 100 then timestamptz 'infinity' else coalesce(zone.at, $7::timestamptz, now()) end
       from chosen
       left join unnest($5::text[], $6::timestamptz[]) as zone(name, at) on zone.name = lower(chosen.zone)
       on conflict (campaign_id, contact_id) where campaign_id is not null do nothing
       returning id
     ),
     moved as (
       update campaigns set
         cursor = coalesce(page.last, campaigns.last_place, campaigns.cursor),
         walked = page.count < $4::integer,
         recipient_count = recipient_count + (select count(*) from written),
         -- Its segments may have been others for those who are written already, and may be others for those who follow.
         required_lists = case
           when required_lists -> -1 -> 'listIds' = $10::jsonb then jsonb_set(required_lists, '{-1,upTo}', to_jsonb(coalesce(page.last, campaigns.cursor)))
           else coalesce(required_lists, '[]') || jsonb_build_object('upTo', coalesce(page.last, campaigns.cursor), 'listIds', $10::jsonb)
         end
       from campaign, (select max(place) as last, count(*) as count from page) page where campaigns.id = campaign.id
       returning campaigns.cursor, campaigns.walked
     )
     select (select count(*)::integer from written) as written, cursor::float8, walked from moved`,
    parameters,
  )
  return row
}
