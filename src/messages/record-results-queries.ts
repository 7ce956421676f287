/** Statements that record what happened after a message was sent. */
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction, sql } from '../platform/db/sql.ts'
import { recordWebhookFacts } from '../webhooks/index.ts'
import { CHANGED } from './changes-queries.ts'
import type { MessageResult } from './message.ts'
import { write } from './write-queries.ts'

/**
 * Visits of a message: when a person first opened it and first clicked a link in it, as Postgres prints it, or null; and whether a
 * machine opened it.
 */
export interface VisitSummary {
  messageId: string
  openedAt: string | null
  clickedAt: string | null
  isMachineOpened: boolean
}

/** Stores the visits of messages. A machine's open stays one if a person opens the message later. The caller holds their locks. */
export async function setVisits(em: EntityManager, visits: readonly VisitSummary[]): Promise<void> {
  await write(
    em,
    `update messages message set opened_at = visit.opened_at, clicked_at = visit.clicked_at,
       results = case when is_machine_opened and 'MACHINE_OPENED' <> all(results) then results || 'MACHINE_OPENED'::text
         else results end
     from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::boolean[])
       as visit (id, opened_at, clicked_at, is_machine_opened)
     where message.id = visit.id
       and ((message.opened_at, message.clicked_at) is distinct from (visit.opened_at, visit.clicked_at)
         or is_machine_opened and 'MACHINE_OPENED' <> all(results))
     returning ${CHANGED}`,
    [
      visits.map(({ messageId }) => messageId),
      visits.map(({ openedAt }) => openedAt),
      visits.map(({ clickedAt }) => clickedAt),
      visits.map(({ isMachineOpened }) => isMachineOpened),
    ],
  )
}

/** Records that a contact unsubscribed because of a message. A second time changes nothing. */
export async function recordUnsubscribe(em: EntityManager, id: string): Promise<void> {
  await write(
    em,
    `update messages set unsubscribed_at = now(), results = results || 'UNSUBSCRIBED'::text
       where id = $1::uuid and unsubscribed_at is null returning ${CHANGED}`,
    [id],
  )
}

/** Records that a message bounced, or that its recipient complained. A second time changes nothing. */
export async function recordResult(em: EntityManager, id: string, result: MessageResult): Promise<void> {
  await write(
    em,
    `update messages set results = results || $2::text where id = $1::uuid and $2 <> all(results) returning ${CHANGED}`,
    [id, result],
  )
}

/** Records that the recipient's mail server accepted a message. @returns `false` if that is recorded, or the message is erased */
export const setDelivered = (em: EntityManager, id: string): Promise<boolean> =>
  inTransaction(em, async (unit) => {
    const rows = await sql<{ workspace_id: string }>(
      unit,
      'update messages set delivered_at = now() where id = $1::uuid and delivered_at is null returning workspace_id',
      [id],
    )
    await recordWebhookFacts(
      unit,
      rows.map(({ workspace_id }) => ({ type: 'message.delivered', workspaceId: workspace_id, messageId: id })),
    )
    return rows.length > 0
  })
