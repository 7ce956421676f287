import { eventKeyOf } from '../automations/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { eventsMentionedBy } from '../segments/index.ts'
import { foldName } from '../triggers/index.ts'
import {
  automationsWithEvents,
  type EventName,
  eventNames,
  type Listener,
  type NameUse,
  nameUses,
  segmentsWithEvents,
} from './queries.ts'

/** The number of names that are found. More are a mistake: such names contain IDs. */
export const MAX_NAMES = 1_000
/** The days whose events are counted. */
export const COUNTED_DAYS = 30
/** The number at which counting the events of a name stops. */
export const MAX_COUNT = 1_000
/** The number of events whose data is read for the properties of a name. */
const SAMPLES = 20

interface Used {
  id: string
  name: string
}

export interface DescribedName extends EventName, NameUse {
  usedBy: { automations: Used[]; segments: Used[] }
}

/** A page of the names of custom events, the one seen last first, and the number of all names. */
export async function describeNames(
  em: EntityManager,
  workspaceId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ names: DescribedName[]; total: number }> {
  const fork = em.fork()
  const all = await eventNames(fork, workspaceId, MAX_NAMES)
  const page = all.slice(offset, offset + limit)
  if (page.length === 0) return { names: [], total: all.length }
  const keys = page.map(({ key }) => key)
  const uses = await nameUses(fork, workspaceId, keys, { days: COUNTED_DAYS, most: MAX_COUNT, samples: SAMPLES })
  const automations = await automationsWithEvents(fork, workspaceId)
  const segments = await segmentsByEvent(fork, workspaceId)
  const names = page.map((name) => ({
    ...name,
    ...uses.get(name.key)!,
    usedBy: {
      automations: automations.filter((each) => usesEvent(each, name.key)).map(({ id, name }) => ({ id, name })),
      segments: segments.get(name.key) ?? [],
    },
  }))
  return { names, total: all.length }
}

const usesEvent = ({ triggerKey, eventKeys, mentioned }: Listener, key: string): boolean =>
  triggerKey === key || eventKeys.includes(eventKeyOf(key)) || mentioned.map(foldName).includes(key)

/** Reads the segments whose condition mentions an event, by its key. */
async function segmentsByEvent(em: EntityManager, workspaceId: string): Promise<Map<string, Used[]>> {
  const byKey = new Map<string, Used[]>()
  for (const { id, name, condition } of await segmentsWithEvents(em, workspaceId))
    for (const key of new Set(eventsMentionedBy(condition).map(foldName)))
      byKey.set(key, [...(byKey.get(key) ?? []), { id, name }])
  return byKey
}
