import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { commandHolds, endProcess, isAlive } from './process-table.ts'

export interface ProcessOptions {
  /** Names its log file and its PID file. */
  name: string
  command: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  /** The signal that ends it; by default SIGTERM. */
  stopSignal?: NodeJS.Signals
  /** Milliseconds that it may take to end. */
  stopMs?: number
}

export interface RunningProcess {
  /** The path of its log file. */
  log: string
  /** Resolves a moment after the process has ended without being stopped. */
  ended: Promise<void>
  /** Returns whether it has ended, for any reason. */
  hasEnded(): boolean
  stop(): Promise<void>
}

/** Milliseconds before a process that ends immediately is started again. */
const RESTART_PAUSE_MS = 300

/**
 * Starts a process that writes to its own log file. Ends a process of the same name that an earlier run left behind first.
 * @param check runs when that process is gone; an error prevents the start
 */
export async function startProcess(
  dataDir: string,
  { name, command, args, env = process.env, stopSignal = 'SIGTERM', stopMs = 10_000 }: ProcessOptions,
  check: () => Promise<void> = () => Promise.resolve(),
): Promise<RunningProcess> {
  const pidFile = join(dataDir, `${name}.pid`)
  await endLeftOver(pidFile)
  await check()
  mkdirSync(join(dataDir, 'logs'), { recursive: true })
  const log = join(dataDir, 'logs', `${name}.log`)
  const output = openSync(log, 'a', 0o600)
  const child = spawn(command, args, { env, stdio: ['ignore', output, output] })
  closeSync(output)
  let stopping = false
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  const ended = new Promise<void>((resolve) => {
    void exited.then(async () => {
      rmSync(pidFile, { force: true })
      await delay(RESTART_PAUSE_MS)
      if (!stopping) resolve()
    })
  })
  if (child.pid !== undefined) {
    writeFileSync(pidFile, `${child.pid} ${[command, ...args].join(' ')}`, { mode: 0o600 })
  }
  return {
    log,
    ended,
    hasEnded,
    async stop() {
      stopping = true
      if (hasEnded()) return
      child.kill(stopSignal)
      const killed = setTimeout(() => child.kill('SIGKILL'), stopMs)
      await exited
      clearTimeout(killed)
    },
  }
}

async function endLeftOver(pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return
  const [, number = '', command = ''] = /^(\d+) (.*)/s.exec(readFileSync(pidFile, 'utf8')) ?? []
  const pid = Number(number)
  if (pid > 0 && command !== '' && isAlive(pid) && commandHolds(pid, command)) await endProcess(pid, 'SIGTERM')
  rmSync(pidFile, { force: true })
}
