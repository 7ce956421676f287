import type { AddressInfo } from 'node:net'
import { createApi } from '../http/index.ts'
import { createRenderer } from '../templates/index.ts'
import type { Context } from './context.ts'
import { createHttpServer } from './http-server.ts'
import { API } from './operations.ts'
import { createReadiness } from './readiness.ts'
import { listen, type RunningPart } from './running-part.ts'

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
      // Requests in progress are finished; connections that wait for a next one are closed.
      server.close()
      server.closeIdleConnections()
      const hurry = setTimeout(() => server.closeAllConnections(), 10_000)
      await stopped
      clearTimeout(hurry)
      await renderer.close()
    },
  }
}
