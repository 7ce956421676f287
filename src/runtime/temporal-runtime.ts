import { makeTelemetryFilterString, Runtime } from '@temporalio/worker'
import getPort from 'get-port'
import type { Logger } from 'pino'
import type { Config } from '../platform/config.ts'
import type { Context } from './context.ts'
import { metricsParts } from './metrics-server.ts'
import type { RunningService } from './running-service.ts'

/**
 * Configures the log and the metrics of Temporal's SDK, and disables its own signal handling. Call it once per process, before
 * the first worker.
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

/** Installs Temporal's runtime in a process with a worker. @returns how to start the metrics, if METRICS_PORT is set */
export async function prepareWorkerProcess(config: Config, log: Logger) {
  const address = config.METRICS_PORT === undefined ? undefined : `127.0.0.1:${await getPort({ host: '127.0.0.1' })}`
  installTemporalRuntime(log, address)
  return (context: Context): Promise<RunningService[]> => metricsParts(context, address && `http://${address}/metrics`)
}

/** An SDK warning about an intended state: workers of the sending queue have no workflows. */
const INTENDED_WARNING = 'No workflows registered, not polling for workflow tasks'

/** Writes the SDK's log to the process's log. Lines about single workflows are for debugging. */
function sdkLogger(log: Logger) {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, meta: object = {}) =>
      log[level]({ ...meta, source: 'temporal-sdk' }, message)
  const debug = write('debug')
  return {
    log: (level: string, message: string, meta?: object) =>
      (level === 'WARN' && message !== INTENDED_WARNING ? write('warn') : level === 'ERROR' ? write('error') : debug)(
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
