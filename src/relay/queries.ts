import type { EntityManager } from '../platform/db/orm.ts'
import { Automation } from '../automations/index.ts'
import { Enrollment } from '../enrollments/index.ts'
import { AS_IT_IS, sql, unitOf } from '../platform/db/sql.ts'
import { LEASE_SECONDS, SENDER_DIED } from '../messages/index.ts'

/** Further ahead than this nothing is ever due or leased, in minutes: walks come again after ten. */
const FURTHEST_MINUTES = 15

/**
 * Brings back what lies further ahead than anything is ever set: the clock of Postgres was set back meanwhile, and until it came
 * there again, nobody would do it.
 */
export async function bringBack(em: EntityManager): Promise<void> {
  await sql(
    em,
    `with due as (update outbox set due_at = now() where due_at > now() + $1::interval),
     claimed as (
       update messages set lease_until = clock_timestamp() + make_interval(secs => $2)
       where status = 'SENDING' and lease_until > now() + $1::interval
     ),
     reconciled as (
       update installation set reconciling_until = null where reconciling_until > now() + $1::interval
     )
     update idempotency_keys set lease_until = now()
     where lease_until > now() + $1::interval and created_at > now()`,
    [`${FURTHEST_MINUTES} minutes`, LEASE_SECONDS],
  )
}

interface EnrollmentOnPage {
  id: string
  contactId: string
  active: boolean
}

/** Enrollments of an automation in the order of their ids: all of them, or those that it holds. */
export async function enrollmentPage(
  em: EntityManager,
  { automationId, afterId, held }: { automationId: string; afterId: string | null; held: boolean },
  limit: number,
): Promise<EnrollmentOnPage[]> {
  const which = { automationId, ...(afterId === null ? {} : { id: { $gt: afterId } }), ...(held ? { held } : {}) }
  const page = await unitOf(em).find(Enrollment, which, { orderBy: { id: 'asc' }, limit, ...AS_IT_IS })
  return page.map(({ id, contactId, status }) => ({ id, contactId, active: status === 'ACTIVE' }))
}

/**
 * Removes enrollments of a deleted automation. An email of theirs that waits for another try will have none, and what came
 * of one whose sender has died nobody knows; nobody else would say so.
 * @returns whether they are all gone: those stay whose email is being handed over, until that is told.
 */
export async function deleteEnrollments(em: EntityManager, ids: readonly string[]): Promise<boolean> {
  const [row] = await sql<{ left: number }>(
    em,
    `with settled as (
       update messages set
         status = case status when 'DEFERRED' then 'DISMISSED' else 'UNCONFIRMED' end,
         error = case status when 'DEFERRED' then 'The automation was deleted before it could be sent' else '${SENDER_DIED}' end,
         settled_at = coalesce(settled_at, now())
       where enrollment_id = any($1::uuid[])
         and (status = 'DEFERRED' or (status = 'SENDING' and lease_until <= clock_timestamp()))
     ),
     -- Nor is any of them tried again.
     dropped as (
       update messages set retry_at = null
       where enrollment_id = any($1::uuid[]) and retry_at is not null and status not in ('DEFERRED', 'SENDING')
     ),
     busy as (
       select distinct enrollment_id as id from messages
       where enrollment_id = any($1::uuid[]) and status = 'SENDING' and lease_until > clock_timestamp()
     ),
     gone as (
       delete from enrollments where id = any($1::uuid[]) and not exists (select from busy where busy.id = enrollments.id)
     )
     select count(*)::integer as left from busy`,
    [ids],
  )
  return row?.left === 0
}

/** Removes some of what a deleted automation's emails said: it can be gigabytes. @returns whether it is all gone. */
export async function removeContents(em: EntityManager, automationId: string, limit: number): Promise<boolean> {
  const rows = await sql(
    em,
    `delete from email_contents where automation_id = $1::uuid and hash in (
       select hash from email_contents where automation_id = $1::uuid limit $2
     ) returning hash`,
    [automationId, limit],
  )
  return rows.length < limit
}

/** Removes an automation whose enrollments are gone, with its versions and counts. */
export async function removeAutomation(em: EntityManager, automationId: string): Promise<void> {
  await unitOf(em).nativeDelete(Automation, { id: automationId, deletedAt: { $ne: null } }, { filters: false })
}

/**
 * What the ledger knows of an enrollment that it has not recorded: whether its automation is, or was, one of this installation,
 * whether that and its contact are there, and whether the event is that it was begun by.
 */
export async function whatIsKnown(
  em: EntityManager,
  ids: { automationId: string; contactId: string; triggerEventId: string | null },
): Promise<{ isOurs: boolean; isPossible: boolean; knowsEvent: boolean }> {
  const [row] = await sql<{ isOurs: boolean; isPossible: boolean; knowsEvent: boolean }>(
    em,
    `select exists (select from automations where id = $1::uuid) as "isOurs",
     exists (
       select from automations automation join contacts contact using (workspace_id)
       where automation.id = $1::uuid and automation.deleted_at is null and contact.id = $2::uuid
     ) as "isPossible",
     exists (select from trigger_events where id = $3::uuid) as "knowsEvent"`,
    [ids.automationId, ids.contactId, ids.triggerEventId],
  )
  return row ?? { isOurs: false, isPossible: false, knowsEvent: false }
}
