import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from './eventually.ts'
import { freePorts } from './ports.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** The sender, which delivery requires. */
export const SENDER = 'Tests <tests@example.com>'

/** `npm start` as a user sees it: a process, the terminal output, an exit code. */
export interface Started {
  child: ChildProcess
  text(): string
  code: Promise<number | null>
}

/** The environment of a start, with its own settings and ports. */
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

/** The process groups that this process has started. Ctrl-C in the terminal of the tests does not reach them. */
const running = new Set<number>()
function endAll(): void {
  for (const group of running) {
    try {
      process.kill(-group, 'SIGKILL')
    } catch {
      // It has ended in the meantime.
    }
  }
}
process.once('exit', endAll)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endAll()
    process.exit(1)
  })

/** Starts it in a process group of its own, as a shell does. */
export function npmStart(env: NodeJS.ProcessEnv, { cwd = ROOT, script = 'start' } = {}): Started {
  // `npm run --silent test:system` would silence this npm, too.
  const child = spawn('npm', ['run', '--loglevel=notice', script], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child.pid!)
  child.once('close', () => running.delete(child.pid!))
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, text: () => text, code }
}

/** Signals all processes in the group, as Ctrl-C in a terminal does. */
export const signalGroup = ({ child }: Started, signal: NodeJS.Signals): boolean => process.kill(-child.pid!, signal)

export const hasEnded = ({ child }: Started): boolean => child.exitCode !== null || child.signalCode !== null

/** Waits for a text in the output. @throws {Error} with the whole output if the process ends before */
export const says = (run: Started, text: string, timeoutMs = 60_000): Promise<true> =>
  eventually(
    `the output contains "${text}"`,
    () => {
      if (run.text().includes(text)) return true
      if (hasEnded(run)) throw new Error(`The process ended: ${run.text()}`)
      return undefined
    },
    timeoutMs,
  )

export const ready = (run: Started): Promise<true> => says(run, 'Ctrl-C stops everything')

/** Returns all processes that work on a data folder. */
export async function leftOvers(dataDir: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args='])
  return stdout.split('\n').filter((line) => line.includes(dataDir))
}

export const nothingIsLeft = (dataDir: string): Promise<true> =>
  eventually('no process is left', async () => ((await leftOvers(dataDir)).length === 0 ? true : undefined), 40_000)
