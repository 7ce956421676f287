import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { eventually } from '../eventually.ts'
import {
  hasEnded,
  leftOvers,
  nothingIsLeft,
  npmStart,
  ready,
  ROOT,
  signalGroup,
  startEnvironment,
  type Started,
} from '../npm-start.ts'
import { freePorts } from '../ports.ts'

/** `npm start` on a data folder, used only from outside, so that it can be of any version. */
export interface Product {
  run: Started
  temporalAddress: string
  /** Sends a request to the API. @throws {Error} with the response, unless it is a 2xx */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers have many shapes
  call: (method: string, path: string, body?: unknown) => Promise<any>
  /** Sets the API key of the requests from now on. */
  use(key: string): void
  cli(...args: string[]): Promise<string>
  isReady(): Promise<boolean>
  /** Returns one of the metrics at `/metrics`. */
  metric: (name: string) => Promise<number>
  /** Stops Temporal's server without ending it: it answers no requests. */
  freezeTemporal(): Promise<void>
  /** Kills (-9) everything at once: npm and the service, their host, Postgres and Temporal. */
  kill(): Promise<void>
  /** Sends SIGTERM, as from a terminal. */
  stop(): Promise<void>
}

/** Starts the product of a checkout on a data folder. @returns it when it is ready */
export async function startProduct(
  dataDir: string,
  smtpUrl: string,
  root = ROOT,
  more: NodeJS.ProcessEnv = {},
): Promise<Product> {
  const [metricsPort] = (await freePorts(1)) as [number]
  const env = await startEnvironment(dataDir, { SMTP_URL: smtpUrl, METRICS_PORT: String(metricsPort), ...more })
  const run = npmStart(env, { cwd: root })
  let key = ''
  const pids = async (text: string) =>
    (await leftOvers(dataDir)).filter((line) => line.includes(text)).map((line) => parseInt(line, 10))
  const product: Product = {
    run,
    temporalAddress: `127.0.0.1:${env['TEMPORAL_PORT']}`,
    async call(method, path, body) {
      const answer = await fetch(`http://127.0.0.1:${env['PORT']}/api/v1/${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return text === '' ? undefined : (JSON.parse(text) as unknown)
    },
    use: (next) => void (key = next),
    async cli(...args) {
      const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'cli', '--', ...args], { cwd: root, env })
      return stdout
    },
    isReady: async () => (await fetch(`http://127.0.0.1:${env['PORT']}/readyz`).catch(() => undefined))?.ok === true,
    async metric(name) {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      const value = new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]
      if (value === undefined) throw new Error(`There is no metric ${name}`)
      return Number(value)
    },
    async freezeTemporal() {
      for (const pid of await pids('start-dev')) process.kill(pid, 'SIGSTOP')
    },
    async kill() {
      const all = await pids('')
      if (!hasEnded(run)) signalGroup(run, 'SIGKILL')
      for (const pid of all) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It has ended with its process group.
        }
      }
      await nothingIsLeft(dataDir)
    },
    async stop() {
      if (!hasEnded(run)) signalGroup(run, 'SIGTERM')
      await run.code
      await nothingIsLeft(dataDir)
    },
  }
  try {
    await ready(run)
    await eventually('it answers', async () => (await product.isReady()) || undefined)
  } catch (error) {
    await product.kill()
    throw error
  }
  return product
}
