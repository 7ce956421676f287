import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from './chaos.ts'
import type { Standing } from './controller.ts'
import { POINTS } from './points.ts'
import type { Random } from './random.ts'
import { PAST_EVERY_TIMEOUT_MS, type World } from './world.ts'

/** What can be done to somebody who stands at a point. */
const DEEDS = {
  'kill -9': { target: 'process', run: (_world, { pid }) => end(pid, 'SIGKILL') },
  SIGTERM: {
    target: 'process',
    async run(_world, { pid, go }) {
      await end(pid, 'SIGTERM')
      go()
    },
  },
  'freeze past every timeout': {
    target: 'process',
    async run(world, { pid, go }) {
      const frozen = world.freeze(pid, PAST_EVERY_TIMEOUT_MS)
      go()
      await frozen
    },
  },
  'connection cut': { target: 'postgres', run: (world, { go }) => during(world.away('postgres', 1_000), 100, go) },
  'read-only database': { target: 'postgres', run: (world, { go }) => during(world.readOnly(4_000), 300, go) },
  'slow mail server': { target: 'smtp', run: (world, { go }) => during(world.slowMail(7_000), 10, go) },
  'full pool': { target: 'postgres', run: (world, { go }) => during(world.fillPools(6_000), 300, go) },
  linger: { target: 'process', run: (_world, { go }) => delay(3_000).then(go) },
} satisfies Record<string, { target: Fault['target'] | 'process'; run: (world: World, at: Standing) => Promise<void> }>
type Deed = keyof typeof DEEDS
export const DEED_NAMES = Object.keys(DEEDS) as Deed[]

/** How long somebody is waited for at a point before another one has its turn, in milliseconds. */
const PATIENCE_MS = 12_000
/** How many aim at the points of one kind of process at a time. */
const LANES = 2

/** How often a point was passed, and which deeds met it. */
export interface PointReport {
  point: string
  passed: number
  deeds: Record<string, number>
}

/** Lets go of whoever stands, some moments after a fault has begun; and waits for its end. */
async function during(fault: Promise<void>, afterMs: number, go: () => void): Promise<void> {
  await delay(afterMs)
  go()
  await fault
}

function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  try {
    process.kill(pid, signal)
  } catch {
    // Another fault has ended it already.
  }
  return Promise.resolve()
}

/**
 * Aims every deed at every point, in an order that the seed says: first each point once, then each pair. It ends when the
 * time is over, and not before each point was hit, unless even twice the time is not enough.
 */
export async function aim(
  world: World,
  random: Random,
  { windowMs }: { windowMs: number },
): Promise<{ faults: Fault[]; report: PointReport[] }> {
  const faults: Fault[] = []
  const hits = new Map<string, Record<string, number>>()
  const started = Date.now()
  const hit = (point: string) => hits.get(point) ?? {}
  const isDone = (points: readonly string[]) =>
    Date.now() - started > windowMs * 2 || (Date.now() - started > windowMs && points.every((point) => hits.has(point)))

  await Promise.all(
    Object.values(POINTS).map(async (ofPart) => {
      const points = ofPart.map(({ name }) => name)
      const deck = shuffledPairs(points, random)
      const lane = async () => {
        while (!isDone(points)) {
          const pair = deck.shift()
          if (!pair) return
          const standing = await world.controller.meet(pair.point, PATIENCE_MS)
          if (!standing) {
            // Nobody came. The next time may be better, behind the points that have not been hit either.
            deck.splice(hits.has(pair.point) ? deck.length : Math.min(deck.length, points.length), 0, pair)
            continue
          }
          const deed = DEEDS[pair.deed]
          const from = Date.now()
          hits.set(pair.point, { ...hit(pair.point), [pair.deed]: (hit(pair.point)[pair.deed] ?? 0) + 1 })
          await deed.run(world, standing)
          const process = standing.process.split('-')[0] as 'api' | 'worker'
          faults.push({
            what: 'aimed',
            target: deed.target === 'process' ? process : deed.target,
            how: `${pair.deed} at "${pair.point}" of ${standing.process}`,
            from,
            to: Date.now(),
          })
        }
      }
      await Promise.all(Array.from({ length: LANES }, lane))
    }),
  )
  const report = Object.values(POINTS)
    .flat()
    .map(({ name }) => ({ point: name, passed: world.controller.passes.get(name) ?? 0, deeds: hit(name) }))
  return { faults, report }
}

/** Each point with one deed, and then every pair that is left. */
function shuffledPairs(points: readonly string[], random: Random): { point: string; deed: Deed }[] {
  const shuffled = <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item) => ({ item, at: random.next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ item }) => item)
  const first = shuffled(points).map((point) => ({ point, deed: random.pick(DEED_NAMES) }))
  const rest = points.flatMap((point) => DEED_NAMES.map((deed) => ({ point, deed })))
  const isFirst = ({ point, deed }: { point: string; deed: Deed }) =>
    first.some((pair) => pair.point === point && pair.deed === deed)
  return [...first, ...shuffled(rest.filter((pair) => !isFirst(pair)))]
}
