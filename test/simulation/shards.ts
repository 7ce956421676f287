import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The work of one process of the simulation: its share of a world's seeds, or of all schedules with one deviation. */
export interface Task {
  url: string
  world: string
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

/** Real milliseconds without a step after which a run counts as stuck: no statement may wait for longer. */
export const STANDSTILL_MS = 60_000

/** Tries all schedules until the first failure, in as many processes as there are databases. */
export async function tryAll(
  urls: readonly string[],
  { world, mutant, seeds }: { world: string; mutant: string | undefined; seeds: Task['seeds'] },
): Promise<Tried> {
  const running = new Set<ChildProcess>()
  const tried = await Promise.all(
    urls.map((url, shard) => {
      const task: Task = { url, world, seeds, shard, of: urls.length }
      const child = fork(fileURLToPath(new URL('./shard.ts', import.meta.url)), mutant ? ['--mutant', mutant] : [], {
        execArgv: [`--import=${new URL('./hooks.ts', import.meta.url).href}`],
      })
      running.add(child)
      return new Promise<Tried>((resolve, reject) => {
        const tried: Tried = { schedules: 0, found: undefined }
        child.on('message', (message: { kind: 'green' } | { kind: 'red'; found: Omit<Found, 'world' | 'mutant'> }) => {
          tried.schedules += 1
          if (message.kind === 'green') return
          tried.found = { ...message.found, world, mutant }
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
