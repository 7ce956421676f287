import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

/** Whether a process runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether a process is the one we mean, and not another that has got its number since. */
export function commandHolds(pid: number, text: string): boolean {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).includes(text)
  } catch {
    return false
  }
}

/** Ends a process that an earlier run left behind, gently at first. */
export async function endProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  for (const [at, patience] of [
    [signal, 10_000],
    ['SIGKILL', 5_000],
  ] as const) {
    try {
      process.kill(pid, at)
    } catch {
      return
    }
    for (const deadline = Date.now() + patience; Date.now() < deadline; await delay(50)) {
      if (!isAlive(pid)) return
    }
  }
  throw new Error(`Process ${pid}, left behind by an earlier run, does not end`)
}
