import type { Logger } from 'pino'
import { openContext } from '../../src/runtime/context.ts'
import { startApi } from '../../src/runtime/api.ts'
import { startWorker } from '../../src/runtime/worker.ts'
import type { RunningService } from '../../src/runtime/running-service.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createMigratedDatabase } from './database.ts'
import { quietLog } from './log.ts'
import { SENDER } from './npm-start.ts'
import { services } from './servers.ts'
import { serviceAt, serviceWithWorkspace, type Service } from './service.ts'
import { workflowBundle } from './workflow-bundle.ts'

/** A service with its own database, API, task queue and workers. */
export interface Instance extends Service {
  startWorker(): Promise<RunningService>
  /** Stops the running workers. */
  stopWorkers(): Promise<void>
  stop(): Promise<void>
}

export interface InstanceOptions {
  /** Whether a worker is also started. */
  worker?: boolean
  env?: NodeJS.ProcessEnv
  log?: Logger
}

let queues = 0

/**
 * Starts the whole service as in production, with its own database and task queue on the shared servers. Only suites that change what
 * a process has once need it: its settings, its workers, its database, its clock. All others use the shared service.
 */
export async function startInstance({
  worker = true,
  env = {},
  log = quietLog,
}: InstanceOptions = {}): Promise<Instance> {
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

  const service = env['DATABASE_URL'] ? serviceAt(context, api.port) : await serviceWithWorkspace(context, api.port)
  const instance: Instance = Object.assign(service, {
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
  })
  if (worker) await instance.startWorker()
  return instance
}
