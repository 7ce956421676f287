import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { ROOT, SENDER } from './npm-start.ts'
import { freePorts } from './ports.ts'
import type { Service } from './service.ts'

export interface Process {
  pid: number
  /** Sends SIGKILL: work in progress is lost. */
  kill(): Promise<void>
  /** Sends SIGTERM: work in progress is finished. @returns the exit code */
  stop(): Promise<number | null>
}

export interface ApiProcess extends Process {
  /** The base URL, which ends in the version. */
  baseUrl: string
}

/** Starts an API or a worker as a separate process, with a service's database and Temporal. */
function start(part: 'api' | 'worker', { context }: Service, env: NodeJS.ProcessEnv, root = ROOT): Process {
  const { config } = context
  const child = spawn(process.execPath, [join(root, `src/bin/${part}.ts`)], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'fatal',
      MAIL_FROM: SENDER,
      DATABASE_URL: config.DATABASE_URL,
      TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS,
      TEMPORAL_TASK_QUEUE: config.TEMPORAL_TASK_QUEUE,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const closed = once(child, 'close')
  return {
    pid: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
    async stop() {
      child.kill('SIGTERM')
      const [code] = (await closed) as [number | null]
      return code
    },
  }
}

/** Starts the API as a process, and waits until it is ready. @param root the checkout to run */
export async function startApiProcess(
  service: Service,
  env: NodeJS.ProcessEnv = {},
  root?: string,
): Promise<ApiProcess> {
  const [port] = await freePorts(1)
  const api = start('api', service, { PORT: String(port), ...env }, root)
  const origin = `http://127.0.0.1:${port}`
  await eventually('the API is ready', async () => {
    const answer = await fetch(`${origin}/readyz`).catch(() => undefined)
    return answer?.ok ? true : undefined
  })
  return { ...api, baseUrl: `${origin}/api/v1` }
}

/** Starts a worker as a process, which begins to work as soon as it can. */
export const startWorkerProcess = (service: Service, env: NodeJS.ProcessEnv = {}): Process =>
  start('worker', service, env)
