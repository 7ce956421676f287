import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** A use of a segment, and its role there. */
export interface SegmentUse {
  kind: 'AUTOMATION' | 'CAMPAIGN' | 'SEGMENT'
  id: string
  name: string
  /** The status of an automation or a campaign. */
  status: string | null
  /** An automation starts when a contact enters (TRIGGER), a condition mentions it, or it is in an audience or excluded from it. */
  role: 'TRIGGER' | 'CONDITION' | 'AUDIENCE' | 'EXCLUSION'
}

/** Maximum number of uses that are listed of a segment. */
const MAX_USES = 100

/**
 * Returns the uses of segments by their IDs, those that can still act first: automations in their current version, without drafts,
 * campaigns, and other segments.
 */
export async function usesOf(
  em: EntityManager,
  workspaceId: string,
  segmentIds: readonly string[],
): Promise<Map<string, SegmentUse[]>> {
  if (segmentIds.length === 0) return new Map()
  const rows = await sql<SegmentUse & { segment_id: string }>(em, USES, [workspaceId, segmentIds])
  const uses = new Map<string, SegmentUse[]>(segmentIds.map((id) => [id, []]))
  for (const { segment_id, ...use } of rows) uses.get(segment_id)!.push(use)
  return uses
}

const REFERENCES = `
select 'CAMPAIGN' as kind, campaign.id, name, status, role, segment_id
from campaigns campaign, lateral (
  select 'AUDIENCE' as role, jsonb_array_elements_text(audience -> 'segmentIds') as segment_id
  union all
  select 'EXCLUSION', jsonb_array_elements_text(audience #> '{exclude,segmentIds}')
) refers
where workspace_id = $1::uuid
union all
select 'AUTOMATION', id, name, status, 'TRIGGER', trigger_key from automations
where workspace_id = $1::uuid and deleted_at is null and trigger = 'SEGMENT_ENTERED'
union all
select 'AUTOMATION', automation.id, name, status, 'CONDITION', lower(mentioned #>> '{}')
from automations automation
join automation_versions current on current.automation_id = automation.id and current.version = automation.version,
  jsonb_path_query(jsonb_build_array(entry, automation.exit_on, automation.goal, current.steps), '$.**.segment') mentioned
where workspace_id = $1::uuid and deleted_at is null
union all
select 'SEGMENT', id, name, null, 'CONDITION', lower(mentioned #>> '{}')
from segments, jsonb_path_query(condition, '$.**.segment') mentioned
where workspace_id = $1::uuid`

const USES = `
with refers as (${REFERENCES}),
-- A trigger before a condition, and an exclusion before an inclusion.
used as (
  select distinct on (segment_id, kind, id) * from refers where segment_id = any($2::text[])
  order by segment_id, kind, id, role desc
),
ranked as (
  select *, row_number() over (
    partition by segment_id
    order by coalesce(status in ('SENT', 'CANCELLED', 'ARCHIVED'), false), lower(name), id
  ) as rank from used
)
select segment_id, kind, id, name, status, role from ranked where rank <= ${MAX_USES} order by segment_id, rank`
