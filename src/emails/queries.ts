import type { EntityManager } from '../platform/db/orm.ts'
import { type Cursor, isAfterCursor, microsOf, toItems } from '../platform/db/newest-page.ts'
import { inTransaction, preparedSql, sql } from '../platform/db/sql.ts'
import type { AttachedFile } from './entities.ts'

export interface EmailRow {
  id: string
  workspaceId: string
  contact_id: string
  recipient: string
  subject: string
  html: string | null
  text: string | null
  template_id: string | null
  template_version: number | null
  data: Record<string, unknown> | null
  sender: string | null
  reply_to: string | null
  headers: Readonly<Record<string, string>>
  tags: readonly string[]
  attachments: readonly AttachedFile[]
  /** ISO 8601; `null` for immediately. */
  scheduled_at: string | null
  /** ISO 8601. */
  created_at: string
}

/**
 * Inserts transactional emails. The caller queues their messages in the same transaction.
 * @returns the IDs of the new ones: an email with the same ID was accepted before
 */
export async function insertEmails(
  em: EntityManager,
  workspaceId: string,
  emails: readonly EmailRow[],
): Promise<Set<string>> {
  const rows = await preparedSql<{ id: string }>(em, 'insert-emails', INSERT, [workspaceId, JSON.stringify(emails)])
  return new Set(rows.map(({ id }) => id))
}

const INSERT = `
insert into emails (id, workspace_id, contact_id, recipient, subject, html, text, template_id, template_version, data, sender,
  reply_to, headers, tags, attachments, scheduled_at, created_at)
select id, $1::uuid, contact_id, recipient, subject, html, text, template_id, template_version, data, sender,
  reply_to, headers, tags, attachments, scheduled_at, created_at
from jsonb_to_recordset($2::jsonb) as given(id uuid, contact_id uuid, recipient text, subject text, html text, text text,
  template_id uuid, template_version integer, data jsonb, sender text, reply_to text, headers jsonb, tags text[],
  attachments jsonb, scheduled_at timestamptz, created_at timestamptz)
on conflict (id) do nothing returning id`

/**
 * Stores the contents of attached files.
 *
 * Race: the cleanup deletes a content that is old but was just used again. Guard: this renews its time, and the cleanup compares
 * the time of the row that it locks.
 *
 * @param contents by hash, in hexadecimal
 */
export async function storeContents(
  em: EntityManager,
  workspaceId: string,
  contents: ReadonlyMap<string, Buffer>,
): Promise<void> {
  // In one order, so that concurrent emails with the same files do not deadlock.
  const sorted = [...contents].toSorted(([a], [b]) => (a < b ? -1 : 1))
  await sql(
    em,
    `insert into attachment_contents (workspace_id, hash, content)
     select $1::uuid, hash, content from unnest($2::bytea[], $3::bytea[]) as given(hash, content)
     on conflict (workspace_id, hash) do update set used_at = now()`,
    [workspaceId, sorted.map(([hash]) => Buffer.from(hash, 'hex')), sorted.map(([, content]) => content)],
  )
}

/** Reads the contents of attached files. @returns them by hash, in hexadecimal */
export async function readContents(
  em: EntityManager,
  workspaceId: string,
  hashes: readonly string[],
): Promise<Map<string, Buffer>> {
  const rows = await sql<{ hash: Buffer; content: Buffer }>(
    em,
    'select hash, content from attachment_contents where workspace_id = $1::uuid and hash = any($2::bytea[])',
    [workspaceId, hashes.map((hash) => Buffer.from(hash, 'hex'))],
  )
  return new Map(rows.map(({ hash, content }) => [hash.toString('hex'), content]))
}

const IS_OLD = `used_at < now() - interval '1 day'`

/**
 * Deletes contents that were not used for a day and that no unsent email needs. Those that are needed are checked again after a
 * day. @returns the number that was checked, at most `limit`
 */
export async function deleteUnusedContents(em: EntityManager, limit: number): Promise<number> {
  const old = await sql<{ workspace_id: string; hash: string }>(
    em,
    `select workspace_id, encode(hash, 'hex') as hash from attachment_contents where ${IS_OLD} order by used_at limit $1`,
    [limit],
  )
  if (old.length === 0) return 0
  const keys = [old.map(({ workspace_id: id }) => id), old.map(({ hash }) => hash)]
  const needed = await sql<{ workspace_id: string; hash: string }>(em, NEEDED, keys)
  await sql(
    em,
    `update attachment_contents set used_at = now()
     where (workspace_id, encode(hash, 'hex')) in (select * from unnest($1::uuid[], $2::text[]))`,
    [needed.map(({ workspace_id: id }) => id), needed.map(({ hash }) => hash)],
  )
  await sql(
    em,
    `delete from attachment_contents
     where ${IS_OLD} and (workspace_id, encode(hash, 'hex')) in (select * from unnest($1::uuid[], $2::text[]))`,
    keys,
  )
  return old.length
}

/** One pass over the unsent emails, however many contents are old. */
const NEEDED = `
select distinct email.workspace_id, file ->> 'hash' as hash
from messages message join emails email on email.id = message.id
cross join jsonb_array_elements(email.attachments) file
where message.automation_id is null and message.campaign_id is null
  and message.status in ('QUEUED', 'DEFERRED', 'SENDING', 'UNCONFIRMED')
  and (email.workspace_id, file ->> 'hash') in (select * from unnest($1::uuid[], $2::text[]))`

/**
 * Deletes the content of emails that became final longer ago than their workspace keeps it, and the data of their templates. An
 * UNCONFIRMED one keeps it, because an operator may send it again. @returns the number of emails, at most `limit`
 */
export const deleteOldEmailContent = (em: EntityManager, limit: number): Promise<number> =>
  inTransaction(em, async (unit) => {
    const old = await sql<{ id: string }>(unit, OLD_CONTENT, [limit])
    const ids = old.map(({ id }) => id)
    if (ids.length > 0)
      await sql(unit, 'update emails set html = null, text = null, data = null where id = any($1::uuid[])', [ids])
    return ids.length
  })

const OLD_CONTENT = `
select email.id from workspaces workspace cross join lateral (
  select id from emails
  where workspace_id = workspace.id and (html is not null or text is not null or data is not null)
    and created_at <= now() - make_interval(days => workspace.content_retention_days)
    and exists (
      select from messages where messages.id = emails.id and status in ('SENT', 'CAPTURED', 'FAILED', 'SUPPRESSED', 'DISMISSED')
        and final_at <= now() - make_interval(days => workspace.content_retention_days)
    )
  order by created_at limit $1 for update skip locked
) email
limit $1`

/**
 * Deletes emails of a workspace whose message is deleted.
 * @param days that must have passed since they were accepted
 * @returns the number of emails, at most `limit`
 */
export async function deleteOldEmails(
  em: EntityManager,
  workspaceId: string,
  days: number,
  limit: number,
): Promise<number> {
  const old = await sql<{ id: string }>(
    em,
    `select id from emails where workspace_id = $1::uuid and created_at <= now() - make_interval(days => $2::integer)
       and not exists (select from messages where messages.id = emails.id)
     order by created_at limit $3`,
    [workspaceId, days, limit],
  )
  if (old.length > 0) await sql(em, 'delete from emails where id = any($1::uuid[])', [old.map(({ id }) => id)])
  return old.length
}

/** The place of an email in the list. */
export interface EmailPlace {
  id: string
  place: Cursor
}

/** Reads a page of a workspace's emails, newest first. @param search.tag only those that have this tag */
export async function emailPage(
  em: EntityManager,
  workspaceId: string,
  { tag, behind, limit }: { tag?: string | undefined; behind?: Cursor | undefined; limit: number },
): Promise<EmailPlace[]> {
  const rows = await sql(
    em,
    `select id, ${microsOf('created_at')} from emails
     where workspace_id = $1::uuid and ($2::text is null or $2::text = any(tags)) and ${isAfterCursor('created_at', '$3', '$4')}
     order by created_at desc, id desc limit $5`,
    [workspaceId, tag ?? null, behind?.micros ?? null, behind?.id ?? null, limit],
  )
  return toItems<EmailPlace>(rows)
}

/** Marks an email as cancelled. The caller has dismissed its message. */
export async function markCancelled(em: EntityManager, id: string): Promise<void> {
  await sql(em, 'update emails set cancelled_at = now() where id = $1::uuid', [id])
}

/** Removes the visible recipients of emails that name a contact, by their present or a former address. */
export async function hideRecipient(em: EntityManager, contactId: string): Promise<void> {
  const addresses = await sql<{ workspace_id: string; email: string }>(
    em,
    `select workspace_id, email from contacts where id = $1::uuid
     union select contact.workspace_id, former.email
     from former_addresses former join contacts contact on contact.id = former.contact_id
     where former.contact_id = $1::uuid`,
    [contactId],
  )
  await sql(
    em,
    `update emails set headers = headers - '{To,Cc}'::text[]
     where workspace_id = $1::uuid and headers ?| '{To,Cc}' and exists (
       select from unnest($2::text[]) address
       where position(lower(address) in lower(concat(headers->>'To', ' ', headers->>'Cc'))) > 0
     )`,
    [addresses[0]?.workspace_id ?? null, addresses.map(({ email }) => email)],
  )
}

/** Deletes the emails to contacts. */
export async function deleteEmailsOf(em: EntityManager, contactIds: readonly string[]): Promise<void> {
  await sql(em, 'delete from emails where contact_id = any($1::uuid[])', [contactIds])
}
