import { LRUCache } from 'lru-cache'
import { outlinesOf, type StepOutline, type StepType, type StoredStep } from '../automation-engine/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { AutomationVersion } from './entities.ts'
import { preparedSql, sql, toObjects } from '../platform/db/sql.ts'

/** The versions whose steps a process remembers. A version never changes. */
const remembered = new LRUCache<string, readonly StepOutline[]>({ max: 500 })

/** Returns the outlines of a version's steps; none if the version was deleted. */
export async function versionSteps(
  em: EntityManager,
  automationId: string,
  version: number,
): Promise<readonly StepOutline[]> {
  const key = `${automationId} ${version}`
  const known = remembered.get(key)
  if (known) return known
  const [row] = await preparedSql<{ steps: StoredStep[] }>(
    em,
    'read-version-steps',
    'select steps from automation_versions where automation_id = $1::uuid and version = $2::integer',
    [automationId, version],
  )
  if (!row) return []
  const steps = outlinesOf(row.steps)
  remembered.set(key, steps)
  return steps
}

/** A version as it is stored. */
export type StoredVersion = Pick<AutomationVersion, 'version' | 'steps' | 'exitOn' | 'goal'>

const storedVersions = new LRUCache<string, StoredVersion>({ max: 100 })

/** Returns versions. Deleted ones are left out. */
export async function readVersions(
  em: EntityManager,
  automationId: string,
  versions: readonly number[],
): Promise<Map<number, StoredVersion>> {
  const keyOf = (version: number) => `${automationId} ${version}`
  const found = new Map<number, StoredVersion>()
  for (const version of versions) {
    const stored = storedVersions.get(keyOf(version))
    if (stored) found.set(version, stored)
  }
  const unknown = versions.filter((version) => !found.has(version))
  if (unknown.length === 0) return found
  const rows = await sql(
    em,
    `select version, steps, exit_on, goal from automation_versions
     where automation_id = $1::uuid and version = any($2::integer[])`,
    [automationId, unknown],
  )
  for (const stored of toObjects<StoredVersion>(rows)) {
    found.set(stored.version, stored)
    storedVersions.set(keyOf(stored.version), stored)
  }
  return found
}

/** Reads the steps of all versions of an automation. */
export const stepsOfAllVersions = (
  em: EntityManager,
  automationId: string,
): Promise<{ id: string; type: StepType }[]> =>
  sql(
    em,
    `select distinct step ->> 'id' as id, step ->> 'type' as type
     from automation_versions version cross join lateral jsonb_array_elements(version.steps) step
     where automation_id = $1::uuid`,
    [automationId],
  )

/**
 * Returns the hashes of the contents of the emails of an automation's current version, in their order. Not remembered: the caller may be in
 * a transaction that is rolled back, and another version gets that number.
 */
export async function currentContents(em: EntityManager, automationId: string): Promise<string[]> {
  const [row] = await sql<{ contents: string[] }>(
    em,
    `select jsonb_path_query_array(steps, '$[*].content') as contents from automation_versions
     join automations automation on automation.id = automation_id and automation.version = automation_versions.version
     where automation_id = $1::uuid`,
    [automationId],
  )
  return row?.contents ?? []
}
