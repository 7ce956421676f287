import { archiveCounts, CounterChanges } from '../counters/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction, sql } from '../platform/db/sql.ts'
import { CHANGED, type MessageChange, subtractMessages } from './changes-queries.ts'
import { uncountClicksIn } from './clicks-queries.ts'

/**
 * Deletes the content of messages that became final longer ago than their workspace keeps it. Subject, recipient and results stay.
 * @returns the number of messages, at most `limit`
 */
export const deleteOldContent = (em: EntityManager, limit: number): Promise<number> =>
  inTransaction(em, async (unit) => {
    const old = await sql<{ id: string }>(unit, OLD_CONTENT, [limit])
    const ids = old.map(({ id }) => id)
    if (ids.length > 0)
      await sql(unit, 'update messages set html = null, text = null where id = any($1::uuid[])', [ids])
    return ids.length
  })

/** Reads the oldest content of each workspace. A message with a pending retry is about to get another one. */
const OLD_CONTENT = `
select message.id from workspaces workspace cross join lateral (
  select id from messages
  where workspace_id = workspace.id and (html is not null or text is not null) and retry_at is null
    and final_at <= now() - make_interval(days => workspace.content_retention_days) and status <> 'SENDING'
  order by final_at limit $1 for update skip locked
) message
limit $1`

/**
 * Deletes final messages of a workspace with their opens, clicks and bounces. Counters stay. Those of an enrollment or a campaign that
 * has not ended stay: they keep it from sending twice.
 *
 * @param days that must have passed since they became final
 * @returns the number of messages, at most `limit`
 */
export const deleteOldMessages = (
  em: EntityManager,
  workspaceId: string,
  days: number,
  limit: number,
): Promise<number> =>
  inTransaction(em, async (unit) => {
    const old = await sql<{ id: string }>(unit, OLD_MESSAGES, [workspaceId, days, limit])
    const ids = old.map(({ id }) => id)
    if (ids.length === 0) return 0
    await uncountClicksIn(unit, ids)
    const deleted = await sql<MessageChange>(
      unit,
      `delete from messages where id = any($1::uuid[]) returning ${CHANGED}`,
      [ids],
    )
    const changes = new CounterChanges()
    subtractMessages(changes, deleted)
    await archiveCounts(unit, workspaceId, changes)
    return ids.length
  })

const OLD_MESSAGES = `
select id from messages message
where workspace_id = $1::uuid and status in ('SENT', 'CAPTURED', 'FAILED', 'SUPPRESSED', 'DISMISSED')
  and created_at <= now() - make_interval(days => $2::integer) and final_at <= now() - make_interval(days => $2::integer)
  and retry_at is null
  and not exists (select from enrollments where id = message.enrollment_id and status = 'ACTIVE')
  and not exists (
    select from campaigns where id = message.campaign_id and status in ('SCHEDULED', 'SENDING', 'PAUSED')
  )
limit $3 for update skip locked`
