import type { MessageKey } from '../../domain/messages.ts'
import type { EmailStep } from '../../domain/steps.ts'
import type { WorkspaceMode } from '../../domain/api-key.ts'
import type { EntityManager } from '../orm.ts'
import { sql } from '../sql.ts'
import type { ClaimedMessage } from './ledger.ts'

/** A message of which nobody knows whether it was sent; an operator decides what becomes of it. */
export interface UnconfirmedMessage {
  id: string
  workspaceId: string
  contactId: string
  automationId: string
  error: string | null
  claimedAt: string
}

/** Besides what is called so: what was claimed long ago by somebody who never came back. An attempt lasts an hour at most. */
const IS_UNCONFIRMED = `
(message.status = 'UNCONFIRMED'
  or (message.status in ('SENDING', 'DEFERRED') and message.claimed_at < now() - interval '2 hours'))`

export async function listUnconfirmed(em: EntityManager, limit: number): Promise<UnconfirmedMessage[]> {
  return sql<UnconfirmedMessage>(
    em,
    `select id, workspace_id as "workspaceId", contact_id as "contactId", automation_id as "automationId", error,
       to_char(claimed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "claimedAt"
     from messages message where ${IS_UNCONFIRMED} order by claimed_at limit $1`,
    [limit],
  )
}

/** Leaves a message as it is, for good. @returns whether it was one to decide on. */
export async function dismissUnconfirmed(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `update messages message set status = 'DISMISSED' where id = $1::uuid and ${IS_UNCONFIRMED} returning id`,
    [id],
  )
  return rows.length > 0
}

/** Claims a message to be sent once more. @returns `undefined` when it is not one to decide on, or its automation is gone. */
export async function reclaimUnconfirmed(
  em: EntityManager,
  id: string,
  claim: string,
): Promise<{ key: MessageKey; message: ClaimedMessage } | undefined> {
  const [row] = await sql<{
    enrollment_id: string
    step_id: string
    visit: number
    mode: WorkspaceMode
    email: string
    first_name: string | null
    metadata: Record<string, unknown>
    step: EmailStep
  }>(em, RECLAIM, [id, claim])
  return (
    row && {
      key: { enrollmentId: row.enrollment_id, stepId: row.step_id, visit: row.visit },
      message: {
        id,
        claim,
        workspaceMode: row.mode,
        // The sequence has gone on: nothing hangs on how this ends.
        onSendFailure: 'CONTINUE',
        step: row.step,
        contact: { email: row.email, firstName: row.first_name, metadata: row.metadata },
      },
    }
  )
}

const RECLAIM = `
update messages message
set status = 'SENDING', claim = $2::uuid, attempts = message.attempts + 1, claimed_at = now(), error = null
from enrollments enrollment
join automations automation on automation.id = enrollment.automation_id and automation.deleted_at is null
join automation_versions version
  on version.automation_id = enrollment.automation_id and version.version = enrollment.version
join contacts contact on contact.id = enrollment.contact_id
join workspaces workspace on workspace.id = enrollment.workspace_id
where message.id = $1::uuid and enrollment.id = message.enrollment_id and ${IS_UNCONFIRMED}
returning message.enrollment_id, message.step_id, message.visit, workspace.mode, contact.email, contact.first_name,
  contact.metadata,
  (select step from jsonb_array_elements(version.steps) step where step ->> 'id' = message.step_id::text) as step`

/** What a second try could not send is as unconfirmed as before it. */
export async function keepUnconfirmed(em: EntityManager, id: string, claim: string): Promise<void> {
  await sql(
    em,
    `update messages set status = 'UNCONFIRMED' where id = $1::uuid and claim = $2::uuid and status = 'DEFERRED'`,
    [id, claim],
  )
}
