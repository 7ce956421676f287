import { cancelRetriesIn, cancelRetriesOf, dismissMessages, ENROLLMENT_ENDED } from '../messages/index.ts'
import { type Delivery, enqueueForCaller, enqueueForRelay, type NewDelivery, takeStarts } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { type ContactInAutomation, eventDedupKey, contactInAutomationColumns } from '../automation-engine/index.ts'
import { CHANGED, countChanges, type EnrollmentChange, NOWHERE, recordChanges } from './changes-queries.ts'
import type { EndCause } from './end-cause.ts'
import { type ProcessedEventWrite, recordProcessedEvent } from '../triggers/index.ts'
import { type Outdated, outdatedPage } from './version-queries.ts'

/** A contact whose enrollments in an automation end, and why. */
export interface EndedContact extends ContactInAutomation {
  cause: EndCause
}

/** Result of ending enrollments. */
export interface EndResult {
  /** Deliveries that the caller attempts after the commit. Empty if no enrollment was active. */
  due: Delivery[]
  /** Whether any email of the automation could still have been sent to the contact. */
  wasPending: boolean
}

/**
 * Ends contacts' enrollments and enqueues the cancellation of their workflows. After the commit, no email of these automations to
 * these contacts can be claimed, deferred emails are dismissed, and retries of these or earlier enrollments are cancelled.
 * Earlier events that are still in the outbox start nothing.
 *
 * The number of statements is constant, whether for one place or for the five hundred of an import.
 *
 * @param em a transaction
 * @param places without duplicates
 */
export async function endRows(em: EntityManager, places: readonly EndedContact[]): Promise<EndResult> {
  if (places.length === 0) return { due: [], wasPending: false }
  // Claims share these locks, and recording an enrollment of the contact takes one.
  await lockContacts(
    em,
    places.map(({ contactId }) => contactId),
  )
  // Enrollments before their messages, in the order in which a deferral locks them.
  const ends = await endActive(em, places)
  const dropped = await cancelRetriesOf(em, places)
  const pending = await takeStarts(em, places)
  const received = await recordProcessedEvent(em, await eventsNotEntered(em, places))
  const wasPending = dropped + ends.length + pending + received > 0
  return { due: await enqueueForCaller(em, ends), wasPending }
}

/** A current enrollment, and the one that an event starts in its place. */
export interface RestartedConfirmation {
  id: string
  automationId: string
  contactId: string
  enrollmentId: string
  eventId: string
}

/**
 * Ends an enrollment so that an event in the outbox can start another one for the same contact. Does nothing if that one has
 * already started, or if the current one is newer than the event.
 *
 * @param em a transaction
 * @returns the deliveries to Temporal; none if it was not ended
 */
export async function endForNewConfirmation(
  em: EntityManager,
  { id, automationId, contactId, enrollmentId, eventId }: RestartedConfirmation,
): Promise<Delivery[]> {
  await lockContacts(em, [contactId])
  const older = await sql(
    em,
    `select from enrollments active
     where active.id = $1::uuid and active.id <> $2::uuid
       and active.enrolled_at < (select created_at from trigger_events where id = $3::uuid)
       and not exists (select from enrollments where id = $2::uuid or dedup_key = '${eventDedupKey('')}' || $3::text)`,
    [id, enrollmentId, eventId],
  )
  if (older.length === 0) return []
  const place = { automationId, contactId, cause: { cause: 'ENROLLED_AGAIN' as const } }
  return enqueueForCaller(em, await endActive(em, [place], id))
}

async function lockContacts(em: EntityManager, contactIds: readonly string[]): Promise<void> {
  await sql(em, 'select from contacts where id = any($1::uuid[]) order by id for update', [contactIds])
}

/**
 * Ends the active enrollments of contacts in automations.
 *
 * @param only ends this enrollment only
 * @returns the deliveries that cancel their workflows, not enqueued yet
 */
async function endActive(em: EntityManager, places: readonly EndedContact[], only?: string): Promise<NewDelivery[]> {
  const ended = await sql<EnrollmentChange>(
    em,
    `update enrollments enrollment
     set status = 'CANCELLED', ended_at = clock_timestamp(), ended_by = place.cause::jsonb, ${NOWHERE}
     from unnest($1::uuid[], $2::uuid[], $3::text[]) place(automation_id, contact_id, cause)
     where enrollment.automation_id = place.automation_id and enrollment.contact_id = place.contact_id
       and status = 'ACTIVE' and ($4::uuid is null or id = $4::uuid)
     returning ${CHANGED}`,
    [...contactInAutomationColumns(places), places.map(({ cause }) => JSON.stringify(cause)), only ?? null],
  )
  return afterEnd(em, ended)
}

/**
 * Ends a page of the enrollments that are in older versions of an automation. Their workflows are cancelled by the relay.
 *
 * @param em a transaction
 * @returns the number of enrollments that were found
 */
export async function endOutdated(em: EntityManager, of: Outdated, limit: number): Promise<number> {
  const page = await outdatedPage(em, of, null, limit)
  await lockContacts(
    em,
    page.map(({ contactId }) => contactId),
  )
  const ended = await sql<EnrollmentChange>(
    em,
    `update enrollments set status = 'CANCELLED', ended_at = clock_timestamp(), ended_by = $2::jsonb, ${NOWHERE}
     where id = any($1::uuid[]) and status = 'ACTIVE' returning ${CHANGED}`,
    [page.map(({ id }) => id), JSON.stringify({ cause: 'PUBLISHED', version: of.version } satisfies EndCause)],
  )
  await cancelRetriesIn(
    em,
    ended.map(({ id }) => id),
  )
  await enqueueForRelay(em, await afterEnd(em, ended))
  return page.length
}

/** Records and counts ended enrollments, and dismisses their messages. @returns the deliveries that cancel their workflows */
async function afterEnd(em: EntityManager, ended: readonly EnrollmentChange[]): Promise<NewDelivery[]> {
  await recordChanges(em, ended)
  await countChanges(em, ended)
  await dismissMessages(em, { enrollmentIds: ended.map((enrollment) => enrollment.id) }, ENROLLMENT_ENDED)
  return ended.map((enrollment) => ({
    kind: 'END',
    workspaceId: enrollment.workspace_id,
    automationId: enrollment.automation_id,
    contactId: enrollment.contact_id,
    concurrencyKey: enrollment.concurrency_key,
    enrollmentId: enrollment.id,
  }))
}

/** Selects the events for automations that have not started an enrollment of the contact. */
async function eventsNotEntered(
  em: EntityManager,
  places: readonly ContactInAutomation[],
): Promise<ProcessedEventWrite[]> {
  const rows = await sql<{ automation_id: string; contact_id: string; event_id: string }>(
    em,
    `select place.automation_id, place.contact_id, event.id as event_id
     from unnest($1::uuid[], $2::uuid[]) place (automation_id, contact_id)
     join trigger_events event on event.contact_id = place.contact_id and place.automation_id = any(event.automation_ids)
     where not exists (
       select from enrollments
       where automation_id = place.automation_id and dedup_key = '${eventDedupKey('')}' || event.id
     )`,
    contactInAutomationColumns(places),
  )
  return rows.map((row) => ({ automationId: row.automation_id, contactId: row.contact_id, eventId: row.event_id }))
}
