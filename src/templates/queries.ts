import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { TemplateKind } from '../rendering/index.ts'

/** The subjects of a page's templates, of their newest versions: without all else that they say. */
export async function subjectsOf(em: EntityManager, ids: readonly string[]): Promise<Map<string, string | null>> {
  const rows = await sql<{ id: string; subject: string | null }>(
    em,
    `select template.id, version.source ->> 'subject' as subject
     from templates template
     join template_versions version on version.template_id = template.id and version.version = template.version
     where template.id = any($1::uuid[])`,
    [ids],
  )
  return new Map(rows.map(({ id, subject }) => [id, subject]))
}

/** A template whose newest version is made with another one. */
export interface Dependent {
  id: string
  name: string
  kind: TemplateKind
  version: number
}

/** Those whose newest versions are made with a layout or a partial, by name; so many at most. */
export async function dependentsOf(em: EntityManager, templateId: string, limit: number): Promise<Dependent[]> {
  return sql<Dependent>(
    em,
    `select template.id, template.name, template.kind, template.version
     from templates template
     join template_versions version on version.template_id = template.id and version.version = template.version
     where version.uses @> array[$1::uuid]
     order by template.name, template.id limit $2`,
    [templateId, limit],
  )
}

/** What partials of a workspace say, by their names. */
export async function partialsOf(
  em: EntityManager,
  workspaceId: string,
): Promise<{ id: string; name: string; html: string }[]> {
  return sql<{ id: string; name: string; html: string }>(
    em,
    `select template.id, template.name, coalesce(version.source ->> 'html', '') as html
     from templates template
     join template_versions version on version.template_id = template.id and version.version = template.version
     where template.workspace_id = $1::uuid and template.kind = 'PARTIAL'
     order by template.created_at limit 1000`,
    [workspaceId],
  )
}
