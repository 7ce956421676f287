import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { eventually } from './eventually.ts'
import { freePorts } from './ports.ts'
import type { Service } from './service.ts'

const API = fileURLToPath(new URL('../../src/bin/api.ts', import.meta.url))

export interface ApiProcess {
  /** Ends in the version. */
  baseUrl: string
  /** kill -9: nothing gets to finish. */
  kill(): Promise<void>
}

/** The API as a process of its own, on a service's database and Temporal. */
export async function startApiProcess({ context }: Service, env: NodeJS.ProcessEnv = {}): Promise<ApiProcess> {
  const { config } = context
  const [port] = await freePorts(1)
  const child = spawn(process.execPath, [API], {
    env: {
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'fatal',
      DATABASE_URL: config.DATABASE_URL,
      TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS,
      TEMPORAL_TASK_QUEUE: config.TEMPORAL_TASK_QUEUE,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const closed = once(child, 'close')
  const origin = `http://127.0.0.1:${port}`
  await eventually('the API is ready', async () => {
    const answer = await fetch(`${origin}/readyz`).catch(() => undefined)
    return answer?.ok ? true : undefined
  })
  return {
    baseUrl: `${origin}/api/v1`,
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}
