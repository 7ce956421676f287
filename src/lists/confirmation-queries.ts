import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** An email that asks an address to confirm that it wants to be on a list. */
export interface ConfirmationEmail {
  messageId: string
  workspaceId: string
  listId: string
  /** The normalized address: see `emailKey`. */
  emailKey: string
}

/** Counts confirmation emails per list and address, regardless of the contact, for the daily limit. Each email counts once. */
export async function countConfirmationEmails(em: EntityManager, emails: readonly ConfirmationEmail[]): Promise<void> {
  if (emails.length === 0) return
  await sql(
    em,
    `insert into confirmation_emails (id, list_id, address_hash)
     select message_id, list_id, address_hash(workspace_id, email_key)
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[]) as email(message_id, workspace_id, list_id, email_key)
     on conflict (id) do nothing`,
    [
      emails.map(({ messageId }) => messageId),
      emails.map(({ workspaceId }) => workspaceId),
      emails.map(({ listId }) => listId),
      emails.map(({ emailKey }) => emailKey),
    ],
  )
}
