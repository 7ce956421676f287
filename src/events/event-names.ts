import { LRUCache } from 'lru-cache'
import { nearestName } from '../platform/nearest-name.ts'
import { eventKeyOf } from '../automations/index.ts'
import { ApiError } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction } from '../platform/db/sql.ts'
import { eventsMentionedBy } from '../segments/index.ts'
import { deleteEventsOfName, foldName } from '../triggers/index.ts'
import { EVENT_NAME_IN_USE, EVENT_NAME_NOT_FOUND } from './errors.ts'
import {
  automationsWithEvents,
  type EventName,
  eventNames,
  type Listener,
  type NameUse,
  nameUses,
  type SegmentWithEvents,
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
  /** The name of which this is probably a misspelling. */
  similarTo: string | null
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
  const withEvents = await segmentsWithEvents(fork, workspaceId)
  const segments = segmentsByEvent(withEvents)
  const used = usedNames(automations, withEvents)
  const names = page.map((name) => ({
    ...name,
    similarTo: similarName(name.name, used),
    ...uses.get(name.key)!,
    usedBy: {
      automations: automations.filter((each) => usesEvent(each, name.key)).map(({ id, name }) => ({ id, name })),
      segments: segments.get(name.key) ?? [],
    },
  }))
  return { names, total: all.length }
}

/** The names of the events that automations and segments use, by key, as they were written. */
type UsedNames = ReadonlyMap<string, string>

const usedNames = (automations: readonly Listener[], segments: readonly SegmentWithEvents[]): UsedNames =>
  new Map(
    [
      ...automations.flatMap(({ triggerName, mentioned }) => [
        ...(triggerName === null ? [] : [triggerName]),
        ...mentioned,
      ]),
      ...segments.flatMap(({ condition }) => eventsMentionedBy(condition)),
    ].map((name) => [foldName(name), name]),
  )

const MAX_DISTANCE = 2
/** A shorter name is similar to one that differs in one character only. */
const MIN_LENGTH = 6
const withoutDigits = (text: string): string => text.replace(/\d/g, '')

const sorted = (text: string): string => [...text].toSorted().join('')

/** Finds the used name of which an unused one is probably a misspelling. Names such as `step 1` and `step 2` are not. */
function similarName(name: string, used: UsedNames): string | null {
  const key = foldName(name)
  if (used.has(key)) return null
  const others = [...used.keys()].filter((other) => withoutDigits(other) !== withoutDigits(key))
  const nearest =
    nearestName(key, others, key.length < MIN_LENGTH ? 1 : MAX_DISTANCE) ??
    // Swapped letters are a distance of two.
    nearestName(
      key,
      others.filter((other) => sorted(other) === sorted(key)),
      MAX_DISTANCE,
    )
  return nearest === undefined ? null : used.get(nearest)!
}

const KNOWN_MS = 30_000
/** The used names of a workspace. Events for which nothing listens are many, so the names may be outdated for a moment. */
const known = new LRUCache<string, UsedNames>({ max: 1_000, ttl: KNOWN_MS })

/** Warns about names of events that are probably misspelled, in ASCII, for a header. @param names of events that did nothing */
export async function misspellingWarnings(
  em: EntityManager,
  workspaceId: string,
  names: readonly { name: string; pointer: string }[],
): Promise<string[]> {
  if (names.length === 0) return []
  // A hit is not stored again, because that would renew its time.
  let used = known.get(workspaceId)
  if (!used) known.set(workspaceId, (used = await readUsedNames(em.fork(), workspaceId)))
  return names.flatMap(({ name, pointer }) => {
    const similar = similarName(name, used)
    const plain = (text: string) => text.replace(/[^ -~]/g, '?')
    return similar === null
      ? []
      : [`${pointer}: nothing uses the event "${plain(name)}"; did you mean "${plain(similar)}"?`]
  })
}

const readUsedNames = async (em: EntityManager, workspaceId: string): Promise<UsedNames> =>
  usedNames(await automationsWithEvents(em, workspaceId), await segmentsWithEvents(em, workspaceId))

/** The number of events up to which a name can be removed. A name with more was not sent by mistake. */
const MAX_REMOVED = 10_000

/**
 * Removes a name that nothing uses, with its events.
 * @throws {ApiError} `event_name_not_found`; `event_name_in_use`, also if it has too many events
 */
export async function removeName(em: EntityManager, workspaceId: string, name: string): Promise<void> {
  const key = foldName(name)
  await inTransaction(em, async (unit) => {
    const [automation] = (await automationsWithEvents(unit, workspaceId)).filter((each) => usesEvent(each, key))
    const [segment] = segmentsByEvent(await segmentsWithEvents(unit, workspaceId)).get(key) ?? []
    const user = automation
      ? `the automation "${automation.name}"`
      : segment
        ? `the segment "${segment.name}"`
        : undefined
    if (user !== undefined)
      throw new ApiError(EVENT_NAME_IN_USE, { message: `The event is used by ${user}. Change that first` })
    const removed = await deleteEventsOfName(unit, workspaceId, key, MAX_REMOVED)
    if (removed === 0) throw new ApiError(EVENT_NAME_NOT_FOUND)
    if (removed === undefined)
      throw new ApiError(EVENT_NAME_IN_USE, {
        message: `The event happened ${MAX_REMOVED.toLocaleString('en-US')} times or more. Only names that were sent by mistake can be removed`,
      })
  })
}

const usesEvent = ({ triggerKey, eventKeys, mentioned }: Listener, key: string): boolean =>
  triggerKey === key || eventKeys.includes(eventKeyOf(key)) || mentioned.map(foldName).includes(key)

/** The segments whose condition mentions an event, by its key. */
function segmentsByEvent(segments: readonly SegmentWithEvents[]): Map<string, Used[]> {
  const byKey = new Map<string, Used[]>()
  for (const { id, name, condition } of segments)
    for (const key of new Set(eventsMentionedBy(condition).map(foldName)))
      byKey.set(key, [...(byKey.get(key) ?? []), { id, name }])
  return byKey
}
