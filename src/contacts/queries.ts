import { timeIn } from '../workspaces/index.ts'
import { type ConditionContext, conditionSql, type ResolvedCondition } from '../segments/index.ts'
import { emailKey } from '../platform/email-address.ts'
import { foldName } from '../triggers/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Range } from '../platform/db/range.ts'
import { preparedSql, sql, toObjects } from '../platform/db/sql.ts'
import { type SuppressedBy, suppressedBy } from './suppression.ts'
import { findJsonFault } from '../platform/json.ts'

/** A contact as the API presents it. */
export interface ContactProfile {
  id: string
  email: string
  externalId: string | null
  firstName: string | null
  metadata: Record<string, unknown>
  /** The reason why the contact gets no marketing; `null` if they get it. */
  suppressedBy: SuppressedBy | null
  /** The names of its tags, in alphabetical order. */
  tags: string[]
  /** Its lists, in the order in which it joined them. */
  listIds: string[]
  createdAt: Date
  updatedAt: Date
}

const DATES = ['createdAt', 'updatedAt'] as const

const COLUMNS = `
contact.id, contact.email, contact.external_id, contact.first_name, contact.metadata, contact.created_at, contact.updated_at,
${suppressedBy('null::text', 'null::text')} as suppressed_by,
array(select name from contact_tags tag where tag.contact_id = contact.id order by tag_key) as tags,
array(select list_id from list_members member where member.contact_id = contact.id order by added_at, list_id) as list_ids`

export async function findContact(
  em: EntityManager,
  workspaceId: string,
  id: string,
): Promise<ContactProfile | undefined> {
  const rows = await sql(
    em,
    `select ${COLUMNS} from contacts contact where contact.id = $2::uuid and contact.workspace_id = $1::uuid`,
    [workspaceId, id],
  )
  return toObjects<ContactProfile>(rows, ...DATES)[0]
}

/** The current addresses of contacts by their external IDs. */
export async function addressesByExternalId(
  em: EntityManager,
  workspaceId: string,
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ external_id: string; email: string }>(
    em,
    'select external_id, email from contacts where workspace_id = $1::uuid and external_id = any($2::text[])',
    [workspaceId, externalIds],
  )
  return new Map(rows.map(({ external_id, email }) => [external_id, email]))
}

/** The IDs of the contacts that have an address and an external ID. */
export async function findContactIds(
  em: EntityManager,
  workspaceId: string,
  { email, externalId }: { email?: string | undefined; externalId?: string | null | undefined },
): Promise<{ byEmail?: string; byExternalId?: string }> {
  // No contact has a text that Postgres cannot store.
  if ([email, externalId].some((text) => text != null && findJsonFault(text) !== undefined)) return {}
  const rows = await preparedSql<{ id: string; by_email: boolean }>(em, 'find-contact-ids', CONTACT_IDS, [
    workspaceId,
    email === undefined ? null : emailKey(email),
    externalId ?? null,
  ])
  const byEmail = rows.find(({ by_email }) => by_email)
  const byExternalId = rows.find(({ by_email }) => !by_email)
  return { ...(byEmail && { byEmail: byEmail.id }), ...(byExternalId && { byExternalId: byExternalId.id }) }
}

/** The ID of the contact with an address or an external ID. Each has an index: this query runs for every request by name. */
export async function findContactIdByName(
  em: EntityManager,
  workspaceId: string,
  name: { email: string } | { externalId: string },
): Promise<string | undefined> {
  const [statement, text, value] =
    'email' in name
      ? (['find-by-email', BY_EMAIL, emailKey(name.email)] as const)
      : (['find-by-external-id', BY_EXTERNAL_ID, name.externalId] as const)
  // No contact has a text that Postgres cannot store.
  if (findJsonFault(value) !== undefined) return undefined
  const [row] = await preparedSql<{ id: string }>(em, statement, text, [workspaceId, value])
  return row?.id
}

const BY_EMAIL = `select id from contacts where workspace_id = $1::uuid and email_key = $2::text`
const BY_EXTERNAL_ID = `select id from contacts where workspace_id = $1::uuid and external_id = $2::text`

const CONTACT_IDS = `
select id, true as by_email from contacts where workspace_id = $1::uuid and email_key = $2::text
union all
select id, false from contacts where workspace_id = $1::uuid and external_id = $3::text`

/** The number of positions in a block, as in the trigger `count_contacts`. */
const BLOCK = 4096

/**
 * A page of a workspace's contacts, newest first, and the total. The counters of the blocks give the total and the block in which
 * the page begins, so a late page costs no more than an early one.
 */
export async function contactPage(
  em: EntityManager,
  workspaceId: string,
  { limit, offset }: Range,
): Promise<{ contacts: ContactProfile[]; total: number }> {
  const [start] = await sql<{ total: number; block: number | null; before: number | null }>(em, START, [
    workspaceId,
    offset,
  ])
  if (start?.block == null) return { contacts: [], total: start?.total ?? 0 }
  const rows = await sql(
    em,
    `with page as (
       select id, place from contacts
       where workspace_id = $1::uuid and place < $2::bigint order by place desc limit $3 offset $4
     )
     select ${COLUMNS} from page join contacts contact using (id) order by page.place desc`,
    [workspaceId, (start.block + 1) * BLOCK, limit, offset - (start.before ?? 0)],
  )
  return { contacts: toObjects<ContactProfile>(rows, ...DATES), total: start.total }
}

const START = `
with running as (
  select block, count, sum(count) over (order by block desc) - count as before, sum(count) over () as total
  from (select block, sum(count) as count from contact_counters where subject = $1::uuid group by block) blocks
),
start as (select block, before from running where before <= $2::bigint and before + count > $2::bigint)
select coalesce((select total from running limit 1), 0)::float8 as total,
  (select block from start)::float8 as block, (select before from start)::float8 as before`

export interface ContactFilter {
  q?: string | undefined
  email?: string | undefined
  tag?: string | undefined
  /** A list of the workspace. */
  listId?: string | undefined
  /** Only contacts of the list with a pending confirmation. */
  isPending?: boolean | undefined
  /** The condition of a segment. */
  condition?: ResolvedCondition | undefined
}

/**
 * A page of the contacts that match a filter, newest first, and their total, in one query.
 *
 * @returns `undefined` if the workspace does not have the list of the filter
 */
export async function searchContacts(
  em: EntityManager,
  workspaceId: string,
  filter: ContactFilter,
  { limit, offset }: Range,
): Promise<{ contacts: ContactProfile[]; total: number } | undefined> {
  const parameters: unknown[] = [workspaceId, limit, offset, filter.listId ?? null]
  const at = filter.condition === undefined ? new Date() : await timeIn(em, workspaceId)
  const where = filterSql({ workspaceId, at }, filter, parameters)
  const rows = await sql<{ id: string | null; total: number; list_known: boolean }>(
    em,
    `with matching as materialized (
       select contact.id, contact.place from contacts contact where contact.workspace_id = $1::uuid and ${where}
     ),
     page as (select id, place from matching order by place desc limit $2 offset $3)
     select counted.total, found.*,
       $4::uuid is null or exists (select from lists where id = $4::uuid and workspace_id = $1::uuid) as list_known
     from (select count(*)::float8 as total from matching) counted
     left join (select page.place, ${COLUMNS} from page join contacts contact using (id)) found on true
     order by found.place desc`,
    parameters,
  )
  if (rows[0]?.list_known === false) return undefined
  const found = rows.filter(({ id }) => id !== null)
  return { contacts: toObjects<ContactProfile>(found, ...DATES), total: rows[0]?.total ?? 0 }
}

function filterSql(
  context: Pick<ConditionContext, 'workspaceId' | 'at'>,
  { q, email, tag, listId, isPending, condition }: ContactFilter,
  parameters: unknown[],
): string {
  const parts = ['true']
  if (q !== undefined) {
    // Escapes for LIKE: https://www.postgresql.org/docs/current/functions-matching.html
    const begins = (text: string) => `$${parameters.push(`${text.replace(/[\\%_]/g, '\\$&')}%`)}`
    parts.push(
      `(contact.email_key like ${begins(emailKey(q))} or lower(contact.first_name) like lower(${begins(q)})
         or contact.external_id = $${parameters.push(q)})`,
    )
  }
  if (email !== undefined) parts.push(`contact.email_key = $${parameters.push(emailKey(email))}`)
  if (tag !== undefined) {
    parts.push(
      `contact.id in (select contact_id from contact_tags
         where workspace_id = $1::uuid and tag_key = $${parameters.push(foldName(tag))})`,
    )
  }
  if (listId !== undefined) {
    // The number of the list's parameter in `searchContacts`.
    const table = isPending ? 'confirmation_requests' : 'list_members'
    parts.push(`contact.id in (select contact_id from ${table} where list_id = $4::uuid)`)
  }
  if (condition !== undefined) parts.push(conditionSql(condition, parameters, context))
  return parts.join(' and ')
}

export interface Tag {
  name: string
  contactCount: number
}

/** A page of a workspace's tags in alphabetical order, and their total. */
export async function tagPage(
  em: EntityManager,
  workspaceId: string,
  { limit, offset }: Range,
): Promise<{ tags: Tag[]; total: number }> {
  const rows = await sql<{ total: number; name: string | null; count: number }>(
    em,
    `with used as materialized (
       select tag_key, min(name) as name, count(*)::float8 as count from contact_tags
       where workspace_id = $1::uuid group by tag_key
     )
     select counted.total, page.name, page.count
     from (select count(*)::float8 as total from used) counted
     left join (select * from used order by tag_key limit $2 offset $3) page on true
     order by page.tag_key`,
    [workspaceId, limit, offset],
  )
  return {
    tags: rows.flatMap(({ name, count }) => (name === null ? [] : [{ name, contactCount: count }])),
    total: rows[0]?.total ?? 0,
  }
}
