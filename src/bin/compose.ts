/** Builds the parts from the configuration. Only composition roots, tests and benchmarks use it. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker'
import type { Logger } from 'pino'
import { createActivities } from '../../activities/index.ts'
import { createApi } from '../api/app.ts'
import type { Config } from '../config.ts'
import { openOrm, pendingMigrations, type Orm } from '../db/orm.ts'
import { sql } from '../db/sql.ts'
import { captureTransport } from '../mail/capture.ts'
import { createSmtpTransport } from '../mail/smtp.ts'
import type { Dependencies } from '../services/dependencies.ts'
import { startRelay } from '../services/relay.ts'
import { openTemporal } from '../temporal/connection.ts'
import { createEnrollments } from '../temporal/enrollments.ts'
import { ensureSearchAttributes } from '../temporal/search-attributes.ts'
import { bundleWorkflows, createWorker } from '../temporal/worker.ts'

/** A configuration in which it is settled where Postgres and Temporal are. */
export type ConnectedConfig = Config & { DATABASE_URL: string; TEMPORAL_ADDRESS: string }

export interface Context {
  config: ConnectedConfig
  log: Logger
  orm: Orm
  temporal: Client
  dependencies: Dependencies
  close(): Promise<void>
}

/** Opens what all parts share. Nothing is connected yet: what is down is waited for where it is needed. */
export function openContext(config: ConnectedConfig, log: Logger): Context {
  const orm = openOrm({ url: config.DATABASE_URL, poolSize: config.DATABASE_POOL_SIZE })
  const temporal = openTemporal({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    apiKey: config.TEMPORAL_API_KEY,
    tls: config.TEMPORAL_TLS,
  })
  const enrollments = createEnrollments(temporal, config.TEMPORAL_TASK_QUEUE)
  return {
    config,
    log,
    orm,
    temporal,
    dependencies: { em: orm.em, enrollments, log },
    async close() {
      await temporal.connection.close()
      await orm.close(true)
    },
  }
}

export interface RunningPart {
  /** Settles when the part ends by itself; rejects with the reason when it can't go on. */
  ended: Promise<void>
  stop(): Promise<void>
}

/** Starts the API. @throws {Error} naming `PORT` when it is taken. */
export async function startApi(context: Context): Promise<RunningPart & { port: number }> {
  const { config, dependencies } = context
  const app = createApi({
    ...dependencies,
    checkReadiness: () => checkReadiness(context),
    trustedProxies: config.trustedProxies,
  })
  const handle = app.callback()
  const server = createServer((request, response) => void handle(request, response))
  await listen(server, config.PORT, config.HOST)
  const stopped = new Promise<void>((resolve) => server.once('close', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    ended: stopped,
    async stop() {
      // Requests in hand are finished; connections that wait for a next one are closed.
      server.close()
      server.closeIdleConnections()
      const hurry = setTimeout(() => server.closeAllConnections(), 10_000)
      await stopped
      clearTimeout(hurry)
    },
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      reject(taken ? new Error(`Port ${port} is taken by another program. Set PORT to a free one.`) : error)
    })
    server.listen(port, host, resolve)
  })
}

const READINESS_TIMEOUT_MS = 3_000

async function checkReadiness({ orm, temporal }: Context): Promise<string[]> {
  const checks: Record<string, () => Promise<unknown>> = {
    Postgres: () => sql(orm.em.fork(), 'select 1'),
    Temporal: () =>
      temporal.withDeadline(Date.now() + READINESS_TIMEOUT_MS, () =>
        temporal.connection.workflowService.getSystemInfo({}),
      ),
  }
  const missing = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const late = delay(READINESS_TIMEOUT_MS, true, { ref: false })
      const failed = await Promise.race([check().then(() => false), late]).catch(() => true)
      return failed ? [name] : []
    }),
  )
  return missing.flat()
}

/** What sends mail, as configured. */
export const createMail = ({ SMTP_URL, SMTP_CONNECTIONS, MAIL_FROM }: Config) => ({
  smtp: SMTP_URL ? createSmtpTransport({ url: SMTP_URL, maxConnections: SMTP_CONNECTIONS }) : undefined,
  capture: captureTransport,
  mailFrom: MAIL_FROM,
})

/** Tells Temporal's SDK where to log, and that stopping is ours to order. Once a process, before its first worker. */
export const installTemporalRuntime = (log: Logger): Runtime =>
  Runtime.install({
    logger: sdkLogger(log),
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN' }) } },
  })

/** Starts the worker and the relay. Waits for Temporal, however long it takes to be there. */
export async function startWorker(
  { config, log, dependencies, temporal }: Context,
  bundle?: Promise<{ code: string }>,
): Promise<RunningPart> {
  const code = config.WORKFLOW_BUNDLE ? { codePath: resolve(config.WORKFLOW_BUNDLE) } : (bundle ?? bundleWorkflows())
  const [workflowBundle, connection] = await Promise.all([code, connectWorker(config, log)])
  await ensureSearchAttributes(temporal, config.TEMPORAL_NAMESPACE)
  const mail = createMail(config)
  const worker = await createWorker({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    workflowBundle,
    activities: createActivities({ ...dependencies, ...mail }),
    shutdownGraceMs: config.WORKER_SHUTDOWN_SECONDS * 1000,
  })
  const ended = worker.run()
  const relay = startRelay(dependencies)
  log.info({ taskQueue: config.TEMPORAL_TASK_QUEUE }, 'The worker is ready')

  let stopped: Promise<void> | undefined
  const stop = async () => {
    if (worker.getState() === 'RUNNING') worker.shutdown()
    await Promise.all([ended.catch(() => undefined), relay.stop()])
    await mail.smtp?.close()
    await connection.close()
  }
  return {
    ended,
    stop: () => (stopped ??= stop()),
  }
}

async function connectWorker(config: ConnectedConfig, log: Logger): Promise<NativeConnection> {
  for (let pause = 500; ; pause = Math.min(pause * 2, 10_000)) {
    try {
      return await NativeConnection.connect({
        address: config.TEMPORAL_ADDRESS,
        ...(config.TEMPORAL_API_KEY ? { apiKey: config.TEMPORAL_API_KEY } : {}),
        tls: config.TEMPORAL_TLS || config.TEMPORAL_API_KEY !== undefined,
      })
    } catch {
      log.warn({ address: config.TEMPORAL_ADDRESS }, 'Temporal is not reachable yet; the worker waits for it')
      await delay(pause)
    }
  }
}

/** The SDK's own log, in ours. Its per-workflow lines are for debugging. */
function sdkLogger(log: Logger) {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, meta: object = {}) =>
      log[level]({ ...meta, source: 'temporal-sdk' }, message)
  const debug = write('debug')
  return {
    log: (level: string, message: string, meta?: object) =>
      (level === 'WARN' ? write('warn') : level === 'ERROR' ? write('error') : debug)(message, meta),
    trace: debug,
    debug,
    info: debug,
    warn: write('warn'),
    error: write('error'),
  }
}

/** @throws {Error} when the schema is older than the code; the parts alone never change it by themselves. */
export async function assertMigrated(orm: Orm): Promise<void> {
  const pending = await pendingMigrations(orm)
  if (pending.length === 0) return
  throw new Error(`The database lacks migrations (${pending.join(', ')}). Run: npm run --silent cli -- migrate`)
}
