import type { EntityManager } from '../orm.ts'
import { sql } from '../sql.ts'

/** What a change of an automation owes to its enrollments: WAKE those that it held, or the TEARDOWN of all. */
export type PropagationKind = 'WAKE' | 'TEARDOWN'

export interface Propagation {
  automationId: string
  kind: PropagationKind
  requestedAt: string
  afterId: string | null
}

/** Notes, in the transaction of the change, what is owed. A teardown stays one; a repeated WAKE starts over. */
export async function requestPropagation(
  em: EntityManager,
  automationId: string,
  kind: PropagationKind,
): Promise<void> {
  await sql(
    em,
    `insert into propagations as existing (automation_id, kind) values ($1::uuid, $2)
     on conflict (automation_id) do update
       set kind = excluded.kind, requested_at = clock_timestamp(), after_id = null, lease_until = now()
       where existing.kind <> 'TEARDOWN'`,
    [automationId, kind],
  )
}

/** Takes one that is due, oldest lease first: with several due, each gets its page in turn. */
export async function leasePropagation(em: EntityManager): Promise<Propagation | undefined> {
  const [row] = await sql<{
    automation_id: string
    kind: PropagationKind
    requested_at: string
    after_id: string | null
  }>(
    em,
    `update propagations set lease_until = now() + interval '30 seconds'
     where automation_id = (
       select automation_id from propagations where lease_until <= now()
       order by lease_until limit 1 for update skip locked
     )
     returning automation_id, kind, requested_at::text, after_id`,
  )
  return (
    row && { automationId: row.automation_id, kind: row.kind, requestedAt: row.requested_at, afterId: row.after_id }
  )
}

/** Moves on to the next page, unless the change was made again meanwhile and the pages start over. */
export async function advancePropagation(em: EntityManager, done: Propagation, afterId: string | null): Promise<void> {
  await sql(
    em,
    `update propagations set after_id = $3::uuid, lease_until = now()
     where automation_id = $1::uuid and requested_at = $2::timestamptz`,
    [done.automationId, done.requestedAt, afterId],
  )
}

/** Ends it, unless the change was made again meanwhile. */
export async function endPropagation(em: EntityManager, done: Propagation): Promise<void> {
  await sql(em, `delete from propagations where automation_id = $1::uuid and requested_at = $2::timestamptz`, [
    done.automationId,
    done.requestedAt,
  ])
}

interface EnrollmentPage {
  id: string
  contactId: string
  active: boolean
}

/** The enrollments of an automation that a page is about, in the order of their ids. */
export async function enrollmentPage(
  em: EntityManager,
  { automationId, kind, afterId }: Propagation,
  limit: number,
): Promise<EnrollmentPage[]> {
  const rows = await sql<{ id: string; contact_id: string; active: boolean }>(
    em,
    `select id, contact_id, status = 'ACTIVE' as active from enrollments
     where automation_id = $1::uuid and ($2::uuid is null or id > $2::uuid) ${kind === 'WAKE' ? 'and held' : ''}
     order by id limit $3`,
    [automationId, afterId, limit],
  )
  return rows.map((row) => ({ id: row.id, contactId: row.contact_id, active: row.active }))
}

/** Removes enrollments of a deleted automation. An email of theirs that waits for another try will have none. */
export async function deleteEnrollments(em: EntityManager, ids: readonly string[]): Promise<void> {
  await sql(
    em,
    `update messages set status = 'FAILED', error = 'The automation was deleted before it could be sent'
     where enrollment_id = any($1::uuid[]) and status = 'DEFERRED'`,
    [ids],
  )
  await sql(em, `delete from enrollments where id = any($1::uuid[])`, [ids])
}

/** Removes an automation whose enrollments are gone, with its versions and counts. */
export async function removeAutomation(em: EntityManager, automationId: string): Promise<void> {
  await sql(em, `delete from automations where id = $1::uuid and deleted_at is not null`, [automationId])
}

/** How many emails of an automation are being handed over at this moment, by senders that may still be alive. */
export async function countSending(em: EntityManager, automationId: string, aliveSeconds: number): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from messages
     where automation_id = $1::uuid and status = 'SENDING' and claimed_at > now() - make_interval(secs => $2)`,
    [automationId, aliveSeconds],
  )
  return row?.count ?? 0
}
