import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { ImageType } from './read-image.ts'

/** A use of a file. */
export interface MediaUse {
  kind: 'TEMPLATE' | 'AUTOMATION' | 'CAMPAIGN'
  id: string
  name: string
  /** The status of an automation or a campaign. */
  status: string | null
}

/** Maximum number of uses that are listed. */
const MAX_USES = 100

/**
 * Returns what shows a file: templates in their newest version, automations in any version or as a draft, because contacts may
 * still be on an old one, and campaigns.
 */
export async function findUses(em: EntityManager, workspaceId: string, hash: string): Promise<MediaUse[]> {
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
       where workspace_id = $1::uuid and (strpos(source::text, $2) > 0 or strpos(ab_test::text, $2) > 0 or exists (
         select from campaign_contents where campaign_id = campaign.id and strpos(html, $2) > 0))
     ) used order by name, id limit ${MAX_USES}`,
    [workspaceId, `/m/${hash}.`],
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
