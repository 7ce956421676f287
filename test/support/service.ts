import type { Logger } from 'pino'
import { openContext, type Context } from '../../src/runtime/context.ts'
import { startApi } from '../../src/runtime/api.ts'
import { startWorker } from '../../src/runtime/worker.ts'
import type { RunningService } from '../../src/runtime/running-service.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { WorkspaceMode } from '../../src/http/caller.ts'
import { SCOPES } from '../../src/http/scopes.ts'
import { createApiKey, type NewApiKey } from '../../src/workspaces/create-api-key.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { assertDescribed } from './contract.ts'
import { createMigratedDatabase } from './database.ts'
import { quietLog } from './log.ts'
import { SENDER } from './npm-start.ts'
import { services } from './servers.ts'
import { workflowBundle } from './workflow-bundle.ts'

export interface Answer {
  status: number
  /** The status and the code of an error, such as `404 contact_not_found`. */
  refused: string | undefined
  headers: Headers
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the tests look into answers of all shapes
  body: any
}

export interface CallOptions {
  key?: string | null
  headers?: Record<string, string>
  /** A raw body, instead of `body` as JSON. */
  raw?: string | Uint8Array<ArrayBuffer>
}

export interface Service {
  context: Context
  port: number
  workspaceId: string
  key: string
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  /** Creates a key without a limit that a test could reach. */
  newKey(options?: Partial<NewApiKey> & { mode?: WorkspaceMode }): Promise<string>
  startWorker(): Promise<RunningService>
  /** Stops the running workers. */
  stopWorkers(): Promise<void>
  stop(): Promise<void>
}

export interface ServiceOptions {
  /** Whether a worker is also started. */
  worker?: boolean
  env?: NodeJS.ProcessEnv
  log?: Logger
}

let queues = 0

/** Starts the whole service as in production, with its own database and task queue, and sends requests over real HTTP. */
export async function startService({ worker = true, env = {}, log = quietLog }: ServiceOptions = {}): Promise<Service> {
  const { temporalAddress } = await services()
  const url = env['DATABASE_URL'] ?? (await createMigratedDatabase())
  const config = readConfig({ WORKER_SHUTDOWN_SECONDS: '2', MAIL_FROM: SENDER, ...env })
  const context = openContext(
    {
      ...config,
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: temporalAddress,
      TEMPORAL_TASK_QUEUE: `test-${process.pid}-${(queues += 1)}`,
      PORT: env['PORT'] ? Number(env['PORT']) : 0,
      HOST: '127.0.0.1',
      ...(env['TEMPORAL_ADDRESS'] ? { TEMPORAL_ADDRESS: env['TEMPORAL_ADDRESS'] } : {}),
    },
    log,
  )
  const parts: RunningService[] = []
  const api = await startApi(context)
  parts.push(api)

  const { em } = context.orm
  const service: Service = {
    context,
    port: api.port,
    workspaceId: '',
    key: '',
    async call(method, path, body, { key = service.key, headers = {}, raw } = {}) {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const full = path.startsWith('/') ? path : `/api/v1/${path}`
      const response = await fetch(`http://127.0.0.1:${api.port}${full}`, {
        method,
        headers: {
          ...(key ? { authorization: `Bearer ${key}` } : {}),
          ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(payload === undefined ? {} : { body: payload }),
      })
      const text = await response.text()
      const { status, headers: given } = response
      const code = given.get('x-error-code')
      const refused = code === null ? undefined : `${status} ${code}`
      const answer = { status, refused, headers: given, body: text ? JSON.parse(text) : undefined }
      assertDescribed(method, full, answer)
      return answer
    },
    async newKey({ mode = 'live', workspaceId, ...options } = {}) {
      const id = workspaceId ?? (await createWorkspace(em, { name: 'Another', mode })).id
      const key = { workspaceId: id, name: 'Test', scopes: SCOPES, rateLimit: 1_000_000, ...options }
      return (await createApiKey(em, key)).key
    },
    async startWorker() {
      const part = await startWorker(context, workflowBundle())
      parts.unshift(part)
      return part
    },
    async stopWorkers() {
      for (const part of parts.splice(0, parts.indexOf(api))) await part.stop()
    },
    async stop() {
      for (const part of parts) await part.stop()
      await context.close()
    },
  }
  if (!env['DATABASE_URL']) {
    service.workspaceId = (await createWorkspace(em, { name: 'Test', mode: 'live' })).id
    service.key = await service.newKey({ workspaceId: service.workspaceId })
  }
  if (worker) await service.startWorker()
  return service
}
