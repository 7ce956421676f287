/** Statements about retries, which are requested, dropped and ended. */
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { withSmallerPages } from '../platform/db/smaller-pages.ts'
import { type ContactInAutomation, contactInAutomationColumns } from '../automation-engine/index.ts'
import { CHANGED } from './changes-queries.ts'
import { dismissMessages } from './queue-queries.ts'
import type { Retryable } from './transitions.ts'
import { EXPIRE, IS_LIVE, IS_RETRYABLE, write } from './write-queries.ts'

/**
 * Requests retries. A message with a pending retry keeps its time.
 * @param includeUnwanted whether to include messages whose enrollment was cancelled
 */
export async function requestRetries(
  em: EntityManager,
  ids: readonly string[],
  status: Retryable,
  { includeUnwanted }: { includeUnwanted: boolean },
): Promise<{ id: string; workspaceId: string; retryAt: string }[]> {
  return sql(
    em,
    `update messages message set retry_at = coalesce(retry_at, now())
     where id = any($1::uuid[]) and status = $2 and ${IS_RETRYABLE}
       and ($3::boolean or (retry_at is null and abandoned_at is null))
     returning id, workspace_id as "workspaceId", retry_at as "retryAt"`,
    [ids, status, includeUnwanted],
  )
}

/** Ends the retry of a message that can no longer be sent. */
export async function dropRetry(em: EntityManager, id: string): Promise<void> {
  await sql(
    em,
    `update messages set retry_at = null where id = $1::uuid and retry_at is not null and status <> 'SENDING'`,
    [id],
  )
}

/**
 * Ends all retries of automations' messages to contacts, and excludes these messages from bulk retries. A message in flight is
 * not retried after its current attempt. The caller has locked the contacts, which claims share.
 *
 * @returns the number that had a pending retry, or are in flight
 */
export const cancelRetriesOf = (em: EntityManager, places: readonly ContactInAutomation[]): Promise<number> =>
  cancelRetries(
    em,
    '(message.automation_id, message.contact_id) in (select * from unnest($1::uuid[], $2::uuid[]))',
    contactInAutomationColumns(places),
  )

/** Does the same for the messages of these enrollments alone. */
export const cancelRetriesIn = (em: EntityManager, enrollmentIds: readonly string[]): Promise<number> =>
  cancelRetries(em, 'message.enrollment_id = any($1::uuid[])', [enrollmentIds])

async function cancelRetries(em: EntityManager, which: string, parameters: unknown[]): Promise<number> {
  const rows = await sql<{ was_open: boolean }>(
    em,
    `update messages message set abandoned_at = now(), retry_at = null
     from messages before
     where ${which}
       and before.id = message.id and (message.retry_at is not null or message.status = 'SENDING' or ${IS_RETRYABLE})
     returning before.retry_at is not null or before.status = 'SENDING' as was_open`,
    parameters,
  )
  return rows.filter(({ was_open }) => was_open).length
}

/** Messages that become UNCONFIRMED in one statement. Half a million would exceed the statement timeout. */
const PAGE = 1_000

/** Makes messages with a pending retry UNCONFIRMED, because a restore may have lost that they were sent since the backup. */
export async function abandonRetries(em: EntityManager, error: string): Promise<void> {
  const isOpen = `message.retry_at is not null and ${IS_RETRYABLE}`
  const abandonPage = (limit: number) =>
    write(
      em,
      `update messages message set status = 'UNCONFIRMED', retry_at = null, error = $1,
           final_at = coalesce(final_at, claimed_at)
         where id in (select id from messages message where ${isOpen} limit $2) and ${isOpen} returning ${CHANGED}`,
      [error, limit],
    )
  while ((await withSmallerPages(PAGE, abandonPage)).length > 0);
}

/**
 * Finalizes the messages of enrollments whose automation was deleted: unsent ones are dismissed, those of a dead process become
 * UNCONFIRMED, and none are retried.
 *
 * @returns the enrollments that have a message in flight
 */
export async function finishMessagesOf(
  em: EntityManager,
  enrollmentIds: readonly string[],
  { dismissed, senderDied }: { dismissed: string; senderDied: string },
): Promise<ReadonlySet<string>> {
  await dismissMessages(em, { enrollmentIds }, dismissed)
  const of = 'enrollment_id = any($2::uuid[])'
  await write(
    em,
    `${EXPIRE} where ${of} and status = 'SENDING' and lease_until <= clock_timestamp() returning ${CHANGED}`,
    [senderDied, enrollmentIds],
  )
  await sql(
    em,
    `update messages set retry_at = null where enrollment_id = any($1::uuid[]) and retry_at is not null and status <> 'SENDING'`,
    [enrollmentIds],
  )
  const rows = await sql<{ id: string }>(
    em,
    `select distinct enrollment_id as id from messages where enrollment_id = any($1::uuid[]) and ${IS_LIVE}`,
    [enrollmentIds],
  )
  return new Set(rows.map(({ id }) => id))
}
