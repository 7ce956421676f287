import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Returns whether a process is running. An ended process stays in the table until its parent reads its status, which does not
 * happen in many containers.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.startsWith('Z') ?? false
  } catch {
    return false
  }
}

/** Returns whether a process is the expected one, and not another one with the same number. */
export function commandHolds(pid: number, text: string): boolean {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).includes(text)
  } catch {
    return false
  }
}

/** Ends a process that an earlier run left behind, with SIGKILL only if it does not end by itself. */
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
