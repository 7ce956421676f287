import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toDate, toObjects } from '../platform/db/sql.ts'
import type { TemplateKind } from '../rendering/index.ts'

export interface ListedTemplate {
  id: string
  name: string
  kind: TemplateKind
  version: number
  createdAt: Date
  updatedAt: Date
  subject: string | null
  useCounts: UseCounts
}

/** The numbers of automations and campaigns that use a template, and of templates that use a layout or a partial. */
interface UseCounts {
  automations: number
  campaigns: number
  templates: number
}

/** The uses of a workspace's templates: automations and templates in their current version, and campaigns, also as a variant of a test. */
const USES = `
select mentioned #>> '{}' as template_id, 'automations' as by, automation.id
from automations automation
join automation_versions current on current.automation_id = automation.id and current.version = automation.version,
  jsonb_path_query(current.steps, '$.**.template.id') mentioned
where automation.workspace_id = $1::uuid and automation.deleted_at is null
union
select template_id::text, 'campaigns', id from campaigns where workspace_id = $1::uuid and template_id is not null
union
select variant ->> 'templateId', 'campaigns', id from campaigns, jsonb_array_elements(ab_test -> 'variants') variant
where workspace_id = $1::uuid
union
select used::text, 'templates', template.id from templates template
join template_versions current on current.template_id = template.id and current.version = template.version, unnest(uses) used
where template.workspace_id = $1::uuid`

/** A page of a workspace's templates, newest first, with their subjects but no other content, and their total. */
export async function templatePage(
  em: EntityManager,
  workspaceId: string,
  { kind, limit, offset }: { kind: TemplateKind | undefined; limit: number; offset: number },
): Promise<[ListedTemplate[], number]> {
  const [counted, rows] = await Promise.all([
    sql<{ count: number }>(
      em,
      `select count(*)::float8 as count from templates where workspace_id = $1::uuid and ($2::text is null or kind = $2::text)`,
      [workspaceId, kind ?? null],
    ),
    sql(
      em,
      `with uses as materialized (${USES}),
       counted as (
         select template_id,
           jsonb_build_object(
             'automations', count(*) filter (where by = 'automations'),
             'campaigns', count(*) filter (where by = 'campaigns'),
             'templates', count(*) filter (where by = 'templates')
           ) as use_counts
         from uses group by template_id
       )
       select template.id, template.name, template.kind, template.version, template.created_at, template.updated_at,
         version.source ->> 'subject' as subject,
         coalesce(use_counts, '{"automations": 0, "campaigns": 0, "templates": 0}') as use_counts
       from (
         select * from templates where workspace_id = $1::uuid and ($2::text is null or kind = $2::text)
         order by created_at desc, id desc limit $3 offset $4
       ) template
       join template_versions version on version.template_id = template.id and version.version = template.version
       left join counted on counted.template_id = template.id::text
       order by template.created_at desc, template.id desc`,
      [workspaceId, kind ?? null, limit, offset],
    ),
  ])
  return [toObjects<ListedTemplate>(rows, 'createdAt', 'updatedAt'), counted[0]?.count ?? 0]
}

/** A page of a template's versions, newest first, and their total: 0 if the workspace has no such template. */
export async function versionPage(
  em: EntityManager,
  workspaceId: string,
  templateId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ versions: { version: number; createdAt: Date }[]; total: number }> {
  const rows = await sql<{ version: number | null; created_at: string | null; total: number }>(
    em,
    `with own as (
       select version.version, version.created_at from template_versions version
       join templates template on template.id = version.template_id
       where template.id = $2::uuid and template.workspace_id = $1::uuid
     )
     select page.version, page.created_at, counted.total
     from (select count(*)::float8 as total from own) counted
     left join (select * from own order by version desc limit $3 offset $4) page on true
     order by page.version desc`,
    [workspaceId, templateId, limit, offset],
  )
  const versions = rows.flatMap(({ version, created_at }) =>
    version === null || created_at === null ? [] : [{ version, createdAt: toDate(created_at) }],
  )
  return { versions, total: rows[0]?.total ?? 0 }
}

/** A template whose current version uses another one. */
export interface Dependent {
  id: string
  name: string
  kind: TemplateKind
  version: number
}

/** The templates whose current versions use a layout or a partial, by name, up to a limit. */
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

/** The partials of a workspace with these names. Stops at a maximum total number of characters. */
export async function partialsNamed(
  em: EntityManager,
  workspaceId: string,
  names: readonly string[],
  most: number,
): Promise<{ id: string; name: string; version: number; html: string }[]> {
  return sql<{ id: string; name: string; version: number; html: string }>(
    em,
    `select id, name, version, html from (
       select named.*, sum(length(html)) over (order by id) - length(html) as before from (
         select template.id, template.name, template.version, coalesce(version.source ->> 'html', '') as html
         from templates template
         join template_versions version on version.template_id = template.id and version.version = template.version
         where template.workspace_id = $1::uuid and template.kind = 'PARTIAL' and template.name = any($2::text[])
       ) named
     ) partials where before <= $3::bigint`,
    [workspaceId, names, most],
  )
}

/**
 * Serializes writes to templates of a workspace, and reads the current versions of some of them. @param em a transaction @returns
 * the versions of existing templates by ID
 */
export async function lockVersions(
  em: EntityManager,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  await sql(em, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`templates ${workspaceId}`])
  const rows = await sql<{ id: string; version: number }>(
    em,
    `select id, version from templates where workspace_id = $1::uuid and id = any($2::uuid[])`,
    [workspaceId, ids],
  )
  return new Map(rows.map(({ id, version }) => [id, version]))
}
