import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { OtherEffects } from './effects.ts'

/** Adds effects that are known only after the events were stored. @param em the transaction that stored them */
export async function addEffects(
  em: EntityManager,
  added: readonly { id: string; effects: Partial<OtherEffects> }[],
): Promise<void> {
  if (added.length === 0) return
  await sql(
    em,
    `update trigger_events event set effects = event.effects || coalesce((
       select jsonb_object_agg(key, coalesce(event.effects -> key, '[]') || value) from jsonb_each(added.effects)
     ), '{}')
     from jsonb_to_recordset($1::jsonb) as added(id uuid, effects jsonb) where event.id = added.id`,
    [JSON.stringify(added)],
  )
}
