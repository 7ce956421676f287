import { LRUCache } from 'lru-cache'
import { outlinesOf, type StepOutline, type StoredStep } from '../automation-engine/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'

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

/** Reads the steps of versions. Deleted versions are left out. */
export async function storedSteps(
  em: EntityManager,
  automationId: string,
  versions: readonly number[],
): Promise<Map<number, StoredStep[]>> {
  const rows = await sql<{ version: number; steps: StoredStep[] }>(
    em,
    'select version, steps from automation_versions where automation_id = $1::uuid and version = any($2::integer[])',
    [automationId, versions],
  )
  return new Map(rows.map(({ version, steps }) => [version, steps]))
}
