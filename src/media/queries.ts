import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { Image, ImageType } from '../platform/image.ts'

/** A use of a file. */
export interface MediaUse {
  kind: 'TEMPLATE' | 'AUTOMATION' | 'CAMPAIGN' | 'EMAIL' | 'SENDER'
  id: string
  /** The name, the subject of a transactional email, or "Logo" of the sender. */
  name: string
  /** The status of an automation or a campaign. */
  status: string | null
}

/** Maximum number of uses that are listed. */
const MAX_USES = 100

/**
 * Returns what shows a file: templates in their newest version, automations in any version or as a draft, because contacts may
 * still be on an old one, campaigns, transactional emails that are scheduled, and the pages for recipients.
 *
 * @param onlySending whether ended campaigns are left out
 */
export async function findUses(
  em: EntityManager,
  workspaceId: string,
  hash: string,
  { onlySending = false }: { onlySending?: boolean } = {},
): Promise<MediaUse[]> {
  return sql<MediaUse>(
    em,
    `select * from (
       select 'TEMPLATE' as kind, template.id, template.name, null as status from templates template
       join template_versions current on current.template_id = template.id and current.version = template.version
       where template.workspace_id = $1::uuid and strpos(current.source::text, $2) > 0
       union all
       select 'AUTOMATION', id, name, status from automations automation
       where workspace_id = $1::uuid and deleted_at is null and (
         exists (select from email_contents where automation_id = automation.id and strpos(html, $2) > 0)
         or exists (select from automation_drafts where automation_id = automation.id and strpos(content::text, $2) > 0))
       union all
       select 'CAMPAIGN', id, name, status from campaigns campaign
       where workspace_id = $1::uuid and not ($3 and status in ('SENT', 'CANCELLED')) and (
         strpos(source::text, $2) > 0
         or exists (select from campaign_contents where campaign_id = campaign.id and strpos(html, $2) > 0))
       union all
       select 'EMAIL', email.id, email.subject, null from emails email
       left join template_versions used on used.template_id = email.template_id and used.version = email.template_version
       where email.workspace_id = $1::uuid and email.scheduled_at > now() and email.cancelled_at is null
         and (strpos(email.html, $2) > 0 or strpos(used.source::text, $2) > 0)
       union all
       select 'SENDER', workspace_id, 'Logo', null from senders
       where workspace_id = $1::uuid and strpos(logo_path, $2) > 0
     ) used order by name, id limit ${MAX_USES}`,
    [workspaceId, `/m/${hash}.`, onlySending],
  )
}

/** Adds up the bytes of a workspace's files. */
export async function totalBytes(em: EntityManager, workspaceId: string): Promise<number> {
  const [row] = await sql<{ total: number }>(
    em,
    'select coalesce(sum(bytes), 0)::float8 as total from media_files where workspace_id = $1::uuid',
    [workspaceId],
  )
  return row!.total
}

/** Reads the content of a file of any workspace by the hash in its public URL. */
export async function findContent(
  em: EntityManager,
  hash: string,
): Promise<{ type: ImageType; content: Buffer } | undefined> {
  const [row] = await sql<{ type: ImageType; content: Buffer }>(
    em,
    'select type, content from media_files where hash = $1',
    [hash],
  )
  return row
}

/** Stores a file. @returns `false` if its content is stored already */
export async function insertFile(
  em: EntityManager,
  file: { id: string; workspaceId: string; name: string; alt: string | null; hash: string } & Image,
): Promise<boolean> {
  const { id, workspaceId, name, alt, hash, type, width, height, content } = file
  const rows = await sql(
    em,
    `insert into media_files (id, workspace_id, name, alt, hash, type, width, height, bytes, content)
     values ($1::uuid, $2::uuid, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (hash) do nothing returning id`,
    [id, workspaceId, name, alt, hash, type, width, height, content.length, content],
  )
  return rows.length > 0
}
