import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from './chaos.ts'
import type { Standing } from './controller.ts'
import { type Point, POINTS } from './points.ts'
import type { Random } from './random.ts'
import { PAST_EVERY_TIMEOUT_MS, type World } from './world.ts'

/** Faults that can be injected into a process that is stopped at a point. */
const FAULTS = {
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
type Deed = keyof typeof FAULTS
export const DEED_NAMES = Object.keys(FAULTS) as Deed[]

/** Faults that block other processes for long come last. */
const LONG: readonly Deed[] = ['freeze past every timeout', 'full pool', 'slow mail server']
/** Maximum wait for a process at one of the least-hit points, in milliseconds. */
const PATIENCE_MS = 3_000
/** Number of processes of one kind that are targeted at a time: there are two. */
const LANES = 2
/** How much longer than the load the run may take until each point was hit, in milliseconds. */
const EXTRA_MS = 480_000

/** The passes of a point, and the faults that hit it. */
export interface PointReport {
  point: string
  passed: number
  deeds: Record<string, number>
}

/** Releases the process some moments after a fault has begun, and waits for the end of the fault. */
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
 * Injects every fault at every point, first at the points that were hit least. The seed decides the order of the faults at a
 * point. It ends when the time is over and each point was hit, unless that takes much longer.
 */
export class Aiming {
  readonly faults: Fault[] = []
  private readonly hits = new Map<string, Deed[]>()
  private readonly world: World
  private readonly random: Random
  private readonly windowMs: number

  constructor(world: World, random: Random, windowMs: number) {
    this.world = world
    this.random = random
    this.windowMs = windowMs
  }

  async run(): Promise<void> {
    const started = Date.now()
    await Promise.all(
      Object.values(POINTS).map(async (ofPart) => {
        const points = ofPart.filter(({ inStories }) => !inStories).map(({ name }) => name)
        const decks = new Map(points.map((point) => [point, this.deck()]))
        const isOver = () => {
          const ms = Date.now() - started
          return ms > this.windowMs + EXTRA_MS || (ms > this.windowMs && points.every((point) => this.hits.has(point)))
        }
        const lane = async () => {
          while (!isOver()) {
            const standing = await this.next(points)
            if (standing) await this.strike(standing, decks.get(standing.point)!.shift() ?? 'linger')
          }
        }
        await Promise.all(Array.from({ length: LANES }, lane))
      }),
    )
  }

  /** Returns how often each point was passed, and which faults hit it. */
  report(): PointReport[] {
    const all = Object.values(POINTS).flatMap((ofPart): readonly Point[] => ofPart)
    return all
      .filter(({ inStories }) => !inStories)
      .map(({ name: point }) => {
        const byFault = Object.groupBy(this.hits.get(point) ?? [], (deed) => deed)
        const times = Object.fromEntries(Object.entries(byFault).map(([deed, { length }]) => [deed, length]))
        return { point, passed: this.world.controller.passes.get(point) ?? 0, deeds: times }
      })
  }

  /** Waits for a process at one of the least-hit points, or at any point if none comes. */
  private async next(points: readonly string[]): Promise<Standing | undefined> {
    const hitsOf = (point: string) => this.hits.get(point)?.length ?? 0
    const fewest = Math.min(...points.map(hitsOf))
    const least = points.filter((point) => hitsOf(point) === fewest)
    return (await this.world.controller.meet(least, PATIENCE_MS)) ?? this.world.controller.meet(points, PATIENCE_MS)
  }

  private async strike(standing: Standing, name: Deed): Promise<void> {
    const injected = FAULTS[name]
    const from = Date.now()
    this.hits.set(standing.point, [...(this.hits.get(standing.point) ?? []), name])
    await injected.run(this.world, standing)
    const kind = standing.process.split('-')[0] as 'api' | 'worker'
    this.faults.push({
      what: 'aimed',
      target: injected.target === 'process' ? kind : injected.target,
      how: `${name} at "${standing.point}" of ${standing.process}`,
      from,
      to: Date.now(),
    })
    // A process that is not up passes no point.
    if (injected.target === 'process') await this.world.isBack(standing.process)
  }

  private deck(): Deed[] {
    const shuffled = DEED_NAMES.map((deed) => ({ deed, at: this.random.next() + (LONG.includes(deed) ? 1 : 0) }))
    return shuffled.toSorted((a, b) => a.at - b.at).map(({ deed }) => deed)
  }
}
