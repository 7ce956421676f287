import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The work of one process of the simulation: its share of the seeds of each world, or of all schedules with one deviation. */
export interface Task {
  url: string
  worlds: readonly string[]
  seeds: { from: number; to: number } | undefined
  /** The process takes the schedules whose number leaves this remainder. */
  shard: number
  of: number
}

/** A schedule that violated a guarantee. */
export interface Found {
  world: string
  mutant: string | undefined
  /** The options that repeat the run. */
  how: string
  violations: readonly string[]
  trace: readonly string[]
}

export interface Tried {
  schedules: number
  found: Found | undefined
}

/** A report of a process: a schedule that kept the guarantees, one that did not (its last), and the end of a world. */
export type Report =
  | { kind: 'green'; world: string }
  | { kind: 'done'; world: string }
  | { kind: 'red'; world: string; found: Omit<Found, 'world' | 'mutant'> }

/** Real milliseconds without a step after which a run counts as stuck: no statement may wait for longer. */
export const STANDSTILL_MS = 60_000

/**
 * Tries all schedules of the worlds until the first failure, in as many processes as there are databases.
 *
 * @param onWorld called after a world in which all schedules kept the guarantees
 */
export async function tryAll(
  urls: readonly string[],
  {
    worlds,
    mutant,
    seeds,
    onWorld,
  }: Pick<Task, 'worlds' | 'seeds'> & {
    mutant?: string | undefined
    onWorld?: (world: string, schedules: number) => void
  },
): Promise<Tried> {
  const running = new Set<ChildProcess>()
  const progress = new Map(worlds.map((world) => [world, { schedules: 0, processes: 0 }]))
  const tried = await Promise.all(
    urls.map((url, shard) => {
      const task: Task = { url, worlds, seeds, shard, of: urls.length }
      const child = fork(fileURLToPath(new URL('./shard.ts', import.meta.url)), mutant ? ['--mutant', mutant] : [], {
        execArgv: [`--import=${new URL('./hooks.ts', import.meta.url).href}`],
      })
      running.add(child)
      return new Promise<Tried>((resolve, reject) => {
        const tried: Tried = { schedules: 0, found: undefined }
        child.on('message', (report: Report) => {
          const { world } = report
          const of = progress.get(world)!
          if (report.kind === 'done') {
            of.processes += 1
            if (of.processes === urls.length) onWorld?.(world, of.schedules)
            return
          }
          tried.schedules += 1
          of.schedules += 1
          if (report.kind === 'green') return
          tried.found = { ...report.found, world, mutant }
          for (const other of running) other.kill('SIGKILL')
        })
        child.once('error', reject)
        child.once('exit', (code, signal) => {
          running.delete(child)
          if (code === 0 || signal === 'SIGKILL') resolve(tried)
          else reject(new Error(`A process of the simulation ended with ${code ?? signal}`))
        })
        child.send(task)
      })
    }),
  )
  return {
    schedules: tried.reduce((sum, { schedules }) => sum + schedules, 0),
    found: tried.find(({ found }) => found)?.found,
  }
}
