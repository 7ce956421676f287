import type { Actor } from '../audit/index.ts'
import type { SuppressionReason } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'

/** A change of what a contact is emailed that is still stored. */
export interface StoredChange {
  at: Date
  change: 'SUPPRESSED' | 'JOINED_LIST' | 'LEFT_LIST' | 'ASKED_TO_CONFIRM'
  /** The reason for a suppression; `null` for other changes. */
  reason: SuppressionReason | null
  note: string | null
  listId: string | null
  /** `null` if the list was deleted. */
  listName: string | null
  /** The actor of the request, if it is in the audit log. */
  actor: Actor | null
}

/** Reads the last changes of a contact, newest first. */
export async function storedChangesOf(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  limit: number,
): Promise<StoredChange[]> {
  const rows = await sql(
    em,
    `with change as (
       select suppression.created_at as at, 'SUPPRESSED' as change, suppression.id, reason, note, null::uuid as list_id
       from contacts contact join suppressions suppression on suppression.workspace_id = contact.workspace_id
         and suppression.address_hash = address_hash(contact.workspace_id, contact.email_key)
       where contact.id = $2::uuid and contact.workspace_id = $1::uuid
       union all
       select added_at, 'JOINED_LIST', null, null, null, list_id from list_members where contact_id = $2::uuid
       union all
       select created_at, 'LEFT_LIST', null, null, null, list_id from list_opt_outs where contact_id = $2::uuid
       union all
       select requested_at, 'ASKED_TO_CONFIRM', null, null, null, list_id from confirmation_requests
       where contact_id = $2::uuid
     )
     select change.at, change, reason, note, list_id, list.name as list_name,
       (select actor from audit_entries
        where workspace_id = $1::uuid and target_id = change.id and operation = 'createSuppression'
          and created_at between change.at - interval '1 minute' and change.at + interval '1 minute' limit 1) as actor
     from change left join lists list on list.id = change.list_id
     order by change.at desc, change.list_id, reason limit $3`,
    [workspaceId, contactId, limit],
  )
  return toObjects<StoredChange>(rows, 'at')
}

/** A message by whose link a contact unsubscribed, from everything or from a list. */
export interface UnsubscribeMessage {
  id: string
  subject: string | null
  unsubscribedAt: Date
}

/** Reads the last messages by which a contact unsubscribed, newest first. */
export async function unsubscribeMessagesOf(
  em: EntityManager,
  contactId: string,
  limit: number,
): Promise<UnsubscribeMessage[]> {
  const rows = await sql(
    em,
    `select id, subject, unsubscribed_at from messages
     where contact_id = $1::uuid and unsubscribed_at is not null order by unsubscribed_at desc, id limit $2`,
    [contactId, limit],
  )
  return toObjects<UnsubscribeMessage>(rows, 'unsubscribedAt')
}
