/** Builds the parts from the configuration. Only composition roots, tests and benchmarks use it. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { makeTelemetryFilterString, Runtime, type Worker } from '@temporalio/worker'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { createActivities } from '../../activities/index.ts'
import { API } from './operations.ts'
import { createApi } from '../http/app.ts'
import type { Config } from '../platform/config.ts'
import { startTracing } from '../platform/tracing.ts'
import { openMetrics, type MetricsRegistry } from './metrics.ts'
import { pendingMigrations, type EntityManager, type Orm } from '../platform/db/orm.ts'
import { openDatabase } from '../schema/open.ts'
import { dividePool } from '../platform/db/pool-shares.ts'
import { createSessionWatch } from '../platform/db/session-watch.ts'
import { withCircuitBreaker, type OnChange } from '../transports/circuit-breaker.ts'
import { createRenderer } from '../templates/renderer.ts'
import { createSmtpTransport } from '../transports/smtp.ts'
import { addressOfServer, readSmtpUrl } from '../transports/smtp-url.ts'
import { traceDeliveries } from '../transports/trace.ts'
import type { Dependencies } from '../outbox/dependencies.ts'
import { createBulkhead } from '../platform/bulkhead.ts'
import { Crowded } from '../outbox/crowded.ts'
import { createDeliverAtOnce } from '../enrollments/deliver.ts'
import { RECORDS_AT_A_TIME } from '../enrollments/enroll-contact.ts'
import { createLeaseKeeper } from '../messages/hand-over-leases.ts'
import { agreeOnWorkplace, installationOf } from '../installation/workplace.ts'
import { agreeOnMail, mailModeOf, watchMailMode } from '../installation/mail-mode.ts'
import { agreeOnSender } from '../installation/mail-sender.ts'
import { startRelay } from '../relay/relay.ts'
import { connectWorker } from '../platform/temporal/connect-worker.ts'
import { openTemporal } from '../platform/temporal/connection.ts'
import { createEnrollments } from '../sequences/client.ts'
import { ensureSearchAttributes } from '../platform/temporal/search-attributes.ts'
import { bundleWorkflows, createSendingWorker, createWorker } from '../platform/temporal/worker.ts'
import { createHealth, type Health } from './health.ts'
import { createHttpServer } from './http-server.ts'
import { createReadiness } from './readiness.ts'

/** A configuration in which it is settled where Postgres and Temporal are. */
export type ConnectedConfig = Config & { DATABASE_URL: string; TEMPORAL_ADDRESS: string }

export interface Context {
  config: ConnectedConfig
  log: Logger
  orm: Orm
  temporal: Client
  dependencies: Dependencies
  /** Tells the installation's id. */
  installation: () => Promise<string>
  metrics: MetricsRegistry
  health: Health
  close(): Promise<void>
}

/** How long the database may take to close, in milliseconds: a session that nobody gives back must not keep the process. */
const CLOSE_MS = 5_000

/** Opens what all parts share. Nothing is connected yet: what is down is waited for where it is needed. */
export function openContext(config: ConnectedConfig, log: Logger): Context {
  const poolSize = config.DATABASE_POOL_SIZE
  const sessions = createSessionWatch(poolSize)
  const onPool = (pool: Pool) => {
    sessions.watch(pool)
    dividePool(pool, poolSize)
  }
  const orm = openDatabase({ url: config.DATABASE_URL, poolSize, onPool })
  const health = createHealth()
  health.watch(() => sessions.problem())
  const temporal = openTemporal({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    apiKey: config.TEMPORAL_API_KEY,
    tls: config.TEMPORAL_TLS,
    traced: isTraced(config),
  })
  const installation = installationOf(orm.em)
  const enrollments = createEnrollments(temporal, config.TEMPORAL_TASK_QUEUE, installation)
  const metrics = openMetrics(orm.em)
  return {
    config,
    log,
    orm,
    temporal,
    dependencies: {
      recording: createBulkhead(RECORDS_AT_A_TIME),
      deliverAtOnce: createDeliverAtOnce(),
      crowded: new Crowded(),
      em: orm.em,
      enrollments,
      log,
      metrics: metrics.metrics,
    },
    installation,
    metrics,
    health,
    async close() {
      // The SDK tries a call again by a timer, which throws where nobody catches it when the connection is gone by then.
      await enrollments.idle()
      await temporal.connection.close()
      await Promise.race([orm.close(true), delay(CLOSE_MS, undefined, { ref: false })])
    },
  }
}

const isTraced = ({ OTEL_EXPORTER_OTLP_ENDPOINT }: Config) => OTEL_EXPORTER_OTLP_ENDPOINT !== undefined

/** Starts the process's traces, where a collector is configured. @returns what ends them, after everything else. */
export const tracingOf = ({ OTEL_EXPORTER_OTLP_ENDPOINT }: Config, serviceName: string): (() => Promise<void>) =>
  OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? () => Promise.resolve()
    : startTracing(OTEL_EXPORTER_OTLP_ENDPOINT, serviceName)

export interface RunningPart {
  /** Settles when the part ends by itself; rejects with the reason when it can't go on. */
  ended: Promise<void>
  stop(): Promise<void>
}

/**
 * Serves the process's metrics to Prometheus, at `/metrics` on a port of their own, which no client of the API sees; and its
 * health, at `/healthz`, which a worker tells nowhere else.
 * @param sdk where Temporal's SDK serves its own, in a process with a worker: they are passed on.
 */
export async function startMetrics(
  { metrics, health, config }: Context,
  port: number,
  sdk: string | undefined,
): Promise<RunningPart & { port: number }> {
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url === '/healthz') {
        const problems = health.problems()
        return response.writeHead(problems.length === 0 ? 200 : 503).end(problems.join('; ') || 'alive')
      }
      if (request.url !== '/metrics') return response.writeHead(404).end()
      const own = await metrics.render()
      const passedOn =
        sdk === undefined
          ? ''
          : await fetch(sdk)
              .then((answer) => answer.text())
              .catch(() => '')
      return response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(own + passedOn)
    })()
  })
  await listen(server, 'METRICS_PORT', port, config.METRICS_HOST)
  const stopped = new Promise<void>((done) => server.once('close', done))
  return {
    port: (server.address() as AddressInfo).port,
    ended: stopped,
    stop() {
      server.close()
      server.closeAllConnections()
      return stopped
    },
  }
}

/** An address of this machine that nobody listens on now. */
async function freeAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return `127.0.0.1:${port}`
}

/** Starts the API. @throws {Error} naming `PORT` when it is taken. */
export async function startApi(context: Context): Promise<RunningPart & { port: number }> {
  const { config, dependencies, health } = context
  const renderer = createRenderer()
  health.watch(() => renderer.problem())
  const app = createApi(
    {
      ...dependencies,
      renderer,
      isLogWatched: process.stdout.isTTY,
      checkReadiness: createReadiness(context),
      checkHealth: () => health.problems(),
      trustedProxies: config.trustedProxies,
    },
    API,
  )
  const handle = app.callback()
  const server = createHttpServer((request, response) => void handle(request, response), {
    trustedProxies: config.trustedProxies,
  })
  await listen(server, 'PORT', config.PORT, config.HOST)
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
      await renderer.close()
    },
  }
}

function listen(server: Server, variable: string, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      reject(taken ? new Error(`Port ${port} is taken by another program. Set ${variable} to a free one.`) : error)
    })
    server.listen(port, host, resolve)
  })
}

/** What sends mail, as configured. @param mailFrom what the parts of the installation have agreed on. */
export const createMail = <Sender extends string | null>(
  { SMTP_URL, SMTP_CONNECTIONS }: Config,
  em: EntityManager,
  mailFrom: Sender,
) => ({
  smtp: SMTP_URL ? createSmtpTransport({ server: readSmtpUrl(SMTP_URL), maxConnections: SMTP_CONNECTIONS }) : undefined,
  renderer: createRenderer(),
  leases: createLeaseKeeper(em),
  mailFrom,
})

/** The same for a worker, whose circuit to a mail server that fails opens, and who says so. */
function createWorkersMail(config: Config, { em, log, metrics }: Dependencies, mailFrom: string) {
  const mail = createMail(config, em, mailFrom)
  const server = config.SMTP_URL && addressOfServer(readSmtpUrl(config.SMTP_URL))
  const open = new Set<string | undefined>()
  const onChange: OnChange = (isOpen, reason, workspaceId) => {
    if (isOpen) open.add(workspaceId)
    else open.delete(workspaceId)
    metrics.mailCircuitOpen(open.size > 0)
    const whose = workspaceId === undefined ? '' : ' for a workspace'
    if (isOpen)
      log.warn(
        { server, reason, workspaceId },
        `The mail server fails${whose}; messages wait, and one at a time tries it`,
      )
    else log.info({ server, workspaceId }, `The mail server is back${whose}`)
  }
  const smtp = mail.smtp && withCircuitBreaker(traceDeliveries(mail.smtp), onChange)
  // The rate is kept by the queue in which emails wait: with one, all of them go through it.
  return {
    ...mail,
    smtp: smtp && (config.SEND_RATE === undefined ? smtp : { ...smtp, permitSoon: () => Promise.resolve(undefined) }),
  }
}

/**
 * Tells Temporal's SDK where to log and, where an address is given, where to serve its metrics; and that stopping is ours
 * to order. Once a process, before its first worker.
 */
export const installTemporalRuntime = (log: Logger, metricsAddress?: string): Runtime =>
  Runtime.install({
    logger: sdkLogger(log),
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN' }) },
      ...(metricsAddress === undefined ? {} : { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
  })

/**
 * Installs Temporal's runtime in a process with a worker, and says how to start its metrics, where METRICS_PORT asks for
 * them.
 */
export async function prepareWorkerProcess(config: Config, log: Logger) {
  const address = config.METRICS_PORT === undefined ? undefined : await freeAddress()
  installTemporalRuntime(log, address)
  return (context: Context): Promise<RunningPart[]> => metricsParts(context, address && `http://${address}/metrics`)
}

/** The process's metrics as a part of it, or none where nobody asked. */
export const metricsParts = async (context: Context, sdk?: string): Promise<RunningPart[]> =>
  context.config.METRICS_PORT === undefined ? [] : [await startMetrics(context, context.config.METRICS_PORT, sdk)]

/** Where in Temporal a part of the installation is to work. */
export const workplaceOf = ({ TEMPORAL_NAMESPACE, TEMPORAL_TASK_QUEUE }: Config) => ({
  namespace: TEMPORAL_NAMESPACE,
  taskQueue: TEMPORAL_TASK_QUEUE,
})

/** Starts the worker and the relay. Waits for Temporal, however long it takes to be there, unless aborted. */
export async function startWorker(
  { config, log, dependencies, installation, temporal, health }: Context,
  bundle?: Promise<{ code: string }>,
  aborted: AbortSignal = new AbortController().signal,
): Promise<RunningPart & { mailFrom: string }> {
  const code = config.WORKFLOW_BUNDLE ? { codePath: resolve(config.WORKFLOW_BUNDLE) } : (bundle ?? bundleWorkflows())
  const { TEMPORAL_ADDRESS: address, TEMPORAL_API_KEY: apiKey, TEMPORAL_TLS: tls } = config
  const onWait = (reason: string) =>
    log.warn(
      { address, reason },
      'Temporal is not reachable yet; the worker waits for it. Is it where TEMPORAL_ADDRESS says?',
    )
  const [workflowBundle, connection] = await Promise.all([
    code,
    connectWorker({ address, apiKey, tls, onWait }, aborted),
  ])
  await ensureSearchAttributes(temporal, config.TEMPORAL_NAMESPACE)
  await agreeOnWorkplace(dependencies.em, log, workplaceOf(config))
  const smtp = config.SMTP_URL !== undefined
  const wanted = { smtp, capture: config.MAIL_CAPTURE }
  const delivers = mailModeOf(wanted) === 'smtp'
  // The sender first: who is refused for having none has not said that mail is delivered.
  const mailFrom = await agreeOnSender(dependencies.em, log, { mailFrom: config.MAIL_FROM, delivers })
  await agreeOnMail(dependencies.em, wanted)
  const mailMode = watchMailMode(dependencies.em, { smtp })
  const mail = createWorkersMail(config, dependencies, mailFrom)
  const options = {
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    activities: createActivities({ ...dependencies, ...mail, installation }),
    shutdownGraceMs: config.WORKER_SHUTDOWN_SECONDS * 1000,
    sendRate: config.SEND_RATE,
    traced: isTraced(config),
  }
  const workers = await Promise.all([
    createWorker({ ...options, workflowBundle, cachedWorkflows: config.WORKFLOW_CACHE_SIZE }),
    createSendingWorker({ ...options, connections: config.SMTP_CONNECTIONS }),
  ])
  const runs = workers.map((worker) => worker.run())
  const relay = startRelay(dependencies)
  const ended = Promise.race([Promise.all(runs), relay.ended]).then(() => undefined)
  log.info({ taskQueue: config.TEMPORAL_TASK_QUEUE }, 'The worker is ready')

  let stopped: Promise<void> | undefined
  health.watch(() => (stopped ? undefined : relay.problem()))
  health.watch(() => mail.renderer.problem())
  health.watch(() => mailMode.problem())
  health.watch(() => (stopped ? undefined : workers.map(whyNotWorking).find((reason) => reason !== undefined)))
  const stop = async () => {
    mailMode.stop()
    // Emails that are being handed over are finished; those that wait for a connection are another worker's.
    mail.smtp?.drain()
    // What waits to be rendered is another worker's, too, and keeps this one from nothing.
    await mail.renderer.close()
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
    // All of them, also where one has failed: the connection can't be closed before.
    await Promise.allSettled([...runs, relay.stop()])
    // What is still under way is broken off, and told to the ledger.
    await mail.smtp?.close()
    await Promise.race([mail.leases.idle(), delay(LAST_WORDS_MS, undefined, { ref: false })])
    await connection.close()
  }
  return {
    mailFrom,
    ended,
    stop: () => (stopped ??= stop()),
  }
}

/** How long a worker that stops waits for Postgres to take what became of its last emails, in milliseconds. */
const LAST_WORDS_MS = 5_000

/** A worker that has failed ends the process, in time; but it may hang in the attempt, with nobody polling. */
function whyNotWorking(worker: Worker): string | undefined {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus()
  const { taskQueue } = worker.options
  if (runState !== 'RUNNING') return `Temporal's worker for ${taskQueue} is ${runState}`
  if (workflowPollerState !== 'FAILED' && activityPollerState !== 'FAILED') return undefined
  return `Temporal's worker for ${taskQueue} does not poll any more`
}

/** What the SDK warns of though it is meant so: the workers of the sending queue have no workflows. */
const MEANT_SO = 'No workflows registered, not polling for workflow tasks'

/** The SDK's own log, in ours. Its per-workflow lines are for debugging. */
function sdkLogger(log: Logger) {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, meta: object = {}) =>
      log[level]({ ...meta, source: 'temporal-sdk' }, message)
  const debug = write('debug')
  return {
    log: (level: string, message: string, meta?: object) =>
      (level === 'WARN' && message !== MEANT_SO ? write('warn') : level === 'ERROR' ? write('error') : debug)(
        message,
        meta,
      ),
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
