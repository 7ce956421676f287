import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import type { Summary } from './summary.ts'
import type { TimelineEntry } from './timeline.ts'

/** The result of a rehearsal for a contact. */
export interface ContactResult {
  contactId: string
  emails: number
  difference: number | null
  outcome: string
  timeline: TimelineEntry[]
}

/** Stores results. The caller has locked their contacts. */
export async function insertResults(
  em: EntityManager,
  rehearsalId: string,
  results: readonly ContactResult[],
): Promise<void> {
  await sql(
    em,
    `insert into rehearsed_contacts (rehearsal_id, contact_id, emails, difference, outcome, timeline)
     select $1::uuid, given.* from unnest($2::uuid[], $3::integer[], $4::integer[], $5::text[], $6::jsonb[]) given`,
    [
      rehearsalId,
      results.map(({ contactId }) => contactId),
      results.map(({ emails }) => emails),
      results.map(({ difference }) => difference),
      results.map(({ outcome }) => outcome),
      results.map(({ timeline }) => JSON.stringify(timeline)),
    ],
  )
}

/**
 * Records a page of a rehearsal that is running.
 *
 * Race: two workers rehearse the same page, because the first one was slow; or it is cancelled in the meantime. Guard: the position and the
 * status are compared. Test: test/rehearsal/rehearsals.test.ts.
 *
 * @returns whether it was recorded
 */
export async function recordPage(
  em: EntityManager,
  page: { id: string; afterId: string; lastId: string; done: number; summary: Summary; isLast: boolean },
): Promise<boolean> {
  const rows = await sql(
    em,
    `update rehearsals set after_id = $3::uuid, done = done + $4::integer, summary = $5::jsonb,
       status = case when $6::boolean then 'DONE' else status end,
       finished_at = case when $6::boolean then now() end
     where id = $1::uuid and after_id = $2::uuid and status = 'RUNNING' returning id`,
    [page.id, page.afterId, page.lastId, page.done, JSON.stringify(page.summary), page.isLast],
  )
  return rows.length > 0
}

/** Ends a rehearsal that is running. @returns whether it was running */
export async function endRehearsal(
  em: EntityManager,
  id: string,
  status: 'CANCELLED' | 'FAILED',
  problem: string | null = null,
): Promise<boolean> {
  const rows = await sql(
    em,
    `update rehearsals set status = $2, problem = $3, finished_at = now()
     where id = $1::uuid and status = 'RUNNING' returning id`,
    [id, status, problem],
  )
  return rows.length > 0
}

export interface ResultFilters {
  outcome?: string | undefined
  difference?: number | undefined
}

/** Lists a page of the contacts of a rehearsal, by their IDs. */
export async function listResults(
  em: EntityManager,
  rehearsalId: string,
  { outcome, difference }: ResultFilters,
  { limit, offset }: { limit: number; offset: number },
): Promise<[results: (ContactResult & { email: string })[], total: number]> {
  const parameters = [rehearsalId, outcome ?? null, difference ?? null]
  const where = `rehearsal_id = $1::uuid and ($2::text is null or outcome = $2)
    and ($3::integer is null or difference = $3)`
  const rows = await sql(
    em,
    `select contact_id, contact.email, emails, difference, outcome, timeline from rehearsed_contacts
     join contacts contact on contact.id = contact_id
     where ${where} order by contact_id limit $4 offset $5`,
    [...parameters, limit, offset],
  )
  const [row] = await sql<{ total: number }>(
    em,
    `select count(*)::integer as total from rehearsed_contacts where ${where}`,
    parameters,
  )
  return [toObjects<ContactResult & { email: string }>(rows), row?.total ?? 0]
}

/** Lets one transaction at a time start rehearsals of a workspace. */
export const lockWorkspace = (em: EntityManager, workspaceId: string): Promise<unknown> =>
  sql(em, `select pg_advisory_xact_lock(hashtextextended('rehearsals ' || $1, 0))`, [workspaceId])

/** Days for which rehearsals are kept. */
const RETENTION_DAYS = 7

/** Deletes a page of the oldest rehearsal after its retention time, and the rehearsal itself last. @returns `limit` if there may be more */
export async function deleteOldRehearsals(em: EntityManager, limit: number): Promise<number> {
  const [oldest] = await sql<{ id: string }>(
    em,
    `select id from rehearsals where created_at < now() - make_interval(days => $1::integer) order by created_at limit 1`,
    [RETENTION_DAYS],
  )
  if (!oldest) return 0
  const rows = await sql(
    em,
    `delete from rehearsed_contacts where rehearsal_id = $1::uuid and contact_id in (
       select contact_id from rehearsed_contacts where rehearsal_id = $1::uuid order by contact_id limit $2
     ) returning 1`,
    [oldest.id, limit],
  )
  if (rows.length < limit) await sql(em, 'delete from rehearsals where id = $1::uuid', [oldest.id])
  return limit
}
