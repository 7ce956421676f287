import { createHttpServer } from './http-server.ts'
import type { AddressInfo } from 'node:net'
import type { Context } from './context.ts'
import { listen, type RunningService } from './running-service.ts'

/**
 * Serves the process's metrics to Prometheus at `/metrics` on a separate port, which clients of the API cannot reach, and its
 * health at `/healthz`.
 * @param sdk the address of the metrics of Temporal's SDK, which are included in a process with a worker
 */
export async function startMetrics(
  { metrics, health, config }: Context,
  port: number,
  sdk: string | undefined,
): Promise<RunningService & { port: number }> {
  const server = createHttpServer((request, response) => {
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

/** The metrics server as a service of the process, or none if METRICS_PORT is not set. */
export const metricsParts = async (context: Context, sdk?: string): Promise<RunningService[]> =>
  context.config.METRICS_PORT === undefined ? [] : [await startMetrics(context, context.config.METRICS_PORT, sdk)]
