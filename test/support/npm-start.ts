import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from './eventually.ts'
import { freePorts } from './ports.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** Who delivers must say from whom. */
export const SENDER = 'Tests <tests@example.com>'

/** `npm start` as a user has it: a process, a terminal's text, an exit code. */
export interface Started {
  child: ChildProcess
  text(): string
  code: Promise<number | null>
}

/** Where it is started, and with which settings and ports of its own. */
export async function startEnvironment(dataDir: string, more: NodeJS.ProcessEnv = {}): Promise<NodeJS.ProcessEnv> {
  const [port, postgres, temporal, ui] = (await freePorts(4)) as [number, number, number, number]
  return {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: String(port),
    HOST: '127.0.0.1',
    POSTGRES_PORT: String(postgres),
    TEMPORAL_PORT: String(temporal),
    TEMPORAL_UI_PORT: String(ui),
    MAIL_FROM: SENDER,
    ...more,
  }
}

/** Starts in a process group of its own, as a shell does. */
export function npmStart(env: NodeJS.ProcessEnv, { cwd = ROOT, script = 'start' } = {}): Started {
  const child = spawn('npm', ['run', script], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, text: () => text, code }
}

/** What Ctrl-C in a terminal does: everybody in the group gets it. */
export const signalGroup = ({ child }: Started, signal: NodeJS.Signals): boolean => process.kill(-child.pid!, signal)

export const hasEnded = ({ child }: Started): boolean => child.exitCode !== null || child.signalCode !== null

/** Waits for a text of it. @throws {Error} with all of its text, when it ends before. */
export const says = (run: Started, text: string, timeoutMs = 60_000): Promise<true> =>
  eventually(
    `it says "${text}"`,
    () => {
      if (run.text().includes(text)) return true
      if (hasEnded(run)) throw new Error(`It ended: ${run.text()}`)
      return undefined
    },
    timeoutMs,
  )

export const ready = (run: Started): Promise<true> => says(run, 'Ctrl-C stops everything')

/** Every process that works on a data folder. */
export async function leftOvers(dataDir: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args='])
  return stdout.split('\n').filter((line) => line.includes(dataDir))
}

export const nothingIsLeft = (dataDir: string): Promise<true> =>
  eventually('nothing is left', async () => ((await leftOvers(dataDir)).length === 0 ? true : undefined), 40_000)
