import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SEARCH_ATTRIBUTES } from '../../src/domain/search-attributes.ts'
import { assertPortFree } from './ports.ts'
import { commandHolds, endProcess, isAlive } from './processes.ts'
import type { EmbeddedOptions } from './protocol.ts'

/** Search attributes as the Temporal CLI spells their types. */
const CLI_TYPES = { KEYWORD: 'Keyword', DATETIME: 'Datetime' } as const

const START_TIMEOUT_MS = 60_000
const START_ATTEMPTS = 3

export interface RunningTemporal {
  address: string
  uiUrl: string
  stop(): Promise<void>
}

/**
 * Starts Temporal's development server with its UI, kept in a file in WAL mode (measured twice as fast). It looks for two
 * more free ports by itself, for HTTP and metrics, and ends when another program was faster there: it is started again.
 */
export async function startTemporal(
  dataDir: string,
  options: NonNullable<EmbeddedOptions['temporal']>,
  onExit: () => void,
): Promise<RunningTemporal> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(dataDir, options, onExit)
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error
    }
  }
}

async function launch(
  dataDir: string,
  { cliPath, port, uiPort }: NonNullable<EmbeddedOptions['temporal']>,
  onExit: () => void,
): Promise<RunningTemporal> {
  const file = join(dataDir, 'temporal.db')
  const pidFile = join(dataDir, 'temporal.pid')
  await endLeftOver(pidFile, file)
  await assertPortFree('TEMPORAL_PORT', port)
  await assertPortFree('TEMPORAL_UI_PORT', uiPort)
  const log = join(dataDir, 'logs', 'temporal.log')
  const output = openSync(log, 'a')
  const child = spawn(
    cliPath,
    [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)],
      ...['--db-filename', file, '--sqlite-pragma', 'journal_mode=wal', '--log-level', 'warn'],
      ...Object.values(SEARCH_ATTRIBUTES).flatMap(({ name, type }) => [
        '--search-attribute',
        `${name}=${CLI_TYPES[type]}`,
      ]),
    ],
    { stdio: ['ignore', output, output] },
  )
  let running = false
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  void exited.then(() => {
    rmSync(pidFile, { force: true })
    if (running) onExit()
  })
  child.once('error', () => undefined)
  if (child.pid !== undefined) writeFileSync(pidFile, String(child.pid))
  await waitForPort(port, child, log)
  running = true
  return {
    address: `127.0.0.1:${port}`,
    uiUrl: `http://localhost:${uiPort}`,
    async stop() {
      running = false
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const killed = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await exited
      clearTimeout(killed)
    },
  }
}

async function waitForPort(port: number, child: ChildProcess, log: string): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await delay(50)) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      throw new Error(`Temporal does not start. Its log: ${log}`)
    }
    if (await accepts(port)) return
  }
  throw new Error(`Temporal did not start within ${START_TIMEOUT_MS / 1000} s. Its log: ${log}`)
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

async function endLeftOver(pidFile: string, databaseFile: string): Promise<void> {
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8'))
  if (pid > 0 && isAlive(pid) && commandHolds(pid, databaseFile)) await endProcess(pid, 'SIGTERM')
  rmSync(pidFile, { force: true })
}
