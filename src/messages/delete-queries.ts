import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction, sql } from '../platform/db/sql.ts'
import { deleteEventsOf } from '../webhooks/index.ts'
import { CHANGED } from './changes-queries.ts'
import { uncountClicksIn } from './clicks-queries.ts'
import { IS_LIVE, write } from './write-queries.ts'

/** Deletes a contact's messages, except those in flight. @returns the number left */
export async function deleteMessagesOf(em: EntityManager, contactId: string): Promise<number> {
  await inTransaction(em, async (unit) => {
    // Locks the messages first, so that no visit is recorded between counting and deleting.
    const gone = await sql<{ id: string }>(
      unit,
      `select id from messages where contact_id = $1::uuid and not (${IS_LIVE}) order by id for update`,
      [contactId],
    )
    const ids = gone.map(({ id }) => id)
    // Race: the outcome of an email in flight was recorded as an event after the erasure had deleted the others. Guard: its message is
    // deleted when it is final, so after that. Test: test/webhooks/erasure.test.ts.
    await deleteEventsOf(unit, contactId)
    if (ids.length === 0) return
    await uncountClicksIn(unit, ids)
    await write(unit, `delete from messages where id = any($1::uuid[]) returning ${CHANGED}`, [ids])
  })
  const [row] = await sql<{ count: number }>(
    em,
    'select count(*)::integer as count from messages where contact_id = $1::uuid',
    [contactId],
  )
  return row?.count ?? 0
}
