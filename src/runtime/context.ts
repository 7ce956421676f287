import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import type { Logger } from 'pino'
import { MAX_RECORDS_PER_BATCH } from '../enrollments/index.ts'
import { createImmediateDelivery } from '../relay/index.ts'
import { createEnrollments } from '../temporal/index.ts'
import { instanceIdOf } from '../instance/index.ts'
import { createQueueLimit, type Dependencies } from '../outbox/index.ts'
import { createBulkhead } from '../platform/bulkhead.ts'
import type { Config } from '../platform/config.ts'
import { pendingMigrations, type Orm } from '../platform/db/orm.ts'
import { createSessionWatch } from '../platform/db/session-watch.ts'
import { openTemporal } from '../temporal/connection.ts'
import { startTracing } from '../platform/tracing.ts'
import { openDatabase } from '../schema/index.ts'
import { createHealth, type Health } from './health.ts'
import { openMetrics, type MetricsRegistry } from './metrics.ts'

/** A configuration with the addresses of Postgres and Temporal. */
export type ConnectedConfig = Config & { DATABASE_URL: string; TEMPORAL_ADDRESS: string }

export interface Context {
  config: ConnectedConfig
  log: Logger
  orm: Orm
  temporal: Client
  dependencies: Dependencies
  /** Returns the ID of the instance. */
  instance: () => Promise<string>
  metrics: MetricsRegistry
  health: Health
  close(): Promise<void>
}

/** The maximum time for closing the database, in milliseconds: a leaked session must not keep the process alive. */
const CLOSE_MS = 5_000

/**
 * Opens the resources that all services of a process share. Nothing connects yet: services wait for an unavailable server when
 * they need it.
 */
export function openContext(config: ConnectedConfig, log: Logger): Context {
  const poolSize = config.DATABASE_POOL_SIZE
  const sessions = createSessionWatch(poolSize)
  const orm = openDatabase({ url: config.DATABASE_URL, poolSize, onPool: (pool) => sessions.watch(pool) })
  const health = createHealth()
  health.watch(() => sessions.problem())
  const temporal = openTemporal({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    apiKey: config.TEMPORAL_API_KEY,
    tls: config.TEMPORAL_TLS,
    traced: isTraced(config),
  })
  const instance = instanceIdOf(orm.em)
  const enrollments = createEnrollments(temporal, config.TEMPORAL_TASK_QUEUE, instance)
  const metrics = openMetrics(orm.em)
  return {
    config,
    log,
    orm,
    temporal,
    dependencies: {
      recording: createBulkhead(MAX_RECORDS_PER_BATCH),
      deliverAtOnce: createImmediateDelivery(),
      crowded: createQueueLimit(),
      em: orm.em,
      enrollments,
      log,
      metrics: metrics.metrics,
    },
    instance,
    metrics,
    health,
    async close() {
      // The SDK retries calls with a timer. The error of a retry on a closed connection would be uncaught.
      await enrollments.idle()
      await temporal.connection.close()
      await Promise.race([orm.close(true), delay(CLOSE_MS, undefined, { ref: false })])
    },
  }
}

/** Returns whether an OpenTelemetry collector is configured. */
export const isTraced = ({ OTEL_EXPORTER_OTLP_ENDPOINT }: Config) => OTEL_EXPORTER_OTLP_ENDPOINT !== undefined

/** Starts tracing if a collector is configured. @returns a function that ends it, to call last */
export const tracingOf = ({ OTEL_EXPORTER_OTLP_ENDPOINT }: Config, serviceName: string): (() => Promise<void>) =>
  OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? () => Promise.resolve()
    : startTracing(OTEL_EXPORTER_OTLP_ENDPOINT, serviceName)

/** @throws {Error} if the schema is older than the code; the API and the worker never migrate it by themselves */
export async function assertMigrated(orm: Orm): Promise<void> {
  const pending = await pendingMigrations(orm)
  if (pending.length === 0) return
  throw new Error(`The database lacks migrations (${pending.join(', ')}). Run: npm run --silent cli -- migrate`)
}
