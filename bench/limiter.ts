import { quietParts } from '../test/support/api-with.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { errors } from '../src/http/middleware/errors.ts'
import { requestId } from '../src/http/middleware/request-id.ts'
import { BASE_PATH, operations } from '../src/runtime/operations.ts'
import { createRouter } from '../src/http/router.ts'
import { createOperationRunner, createWorkspaceLimit } from '../src/http/run-operation.ts'
import { createErrorReader } from '../src/http/to-api-error.ts'
import type { ApiState } from '../src/http/state.ts'
import { createRenderer } from '../src/rendering/renderer.ts'
import { SCOPES } from '../src/http/scopes.ts'
import { anAutomation, EMAIL, wait } from '../test/support/factories.ts'
import { startService, type Service } from './service.ts'
import type { Benchmark } from './compare.ts'
import { makeContacts, post, rateOf } from './load.ts'

const CALLS = 300
const CONCURRENCY = 20

/** Starts the API without the lookup of keys and the counting of requests: it accepts every request. */
async function startUnguarded({ context, workspaceId }: Service) {
  const dependencies = {
    ...context.dependencies,
    renderer: createRenderer(),
    ...quietParts(),
    authenticateKey: () => Promise.reject(new Error('No request is authenticated')),
  }
  const caller = {
    by: { kind: 'key' as const, apiKey: { id: workspaceId, name: 'bench', prefix: 'svc_live_', expiresAt: null } },
    scopes: SCOPES,
    workspace: { id: workspaceId, name: 'bench', mode: 'live' as const },
    rateLimit: { allowed: true, limit: 1, remaining: 1, resetAt: new Date(), retryAfter: 0 },
  }
  const app = new Koa<ApiState>()
  app.use(requestId(dependencies.log, dependencies.metrics, false))
  app.use(errors(createErrorReader(dependencies.log, {})))
  app.use((ctx, next) => {
    ctx.state.caller = caller
    return next()
  })
  const run = createOperationRunner(dependencies, createWorkspaceLimit(dependencies.maxRequestsPerWorkspace))
  app.use(createRouter(BASE_PATH, operations, dependencies, run).routes())
  const handle = app.callback()
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE_PATH}` }
}

/** Enrolling with ÷ without key and limit, through the same API in the same process. */
export const limiter: Benchmark = {
  name: 'limiter',
  title: 'POST /enroll requests/s with ÷ without key and limiter, 20 at a time',
  goal: { atLeast: 0.85 },
  unit: 'requests/s',
  async prepare() {
    const service = await startService({ worker: false })
    const unguarded = await startUnguarded(service)
    const contacts = await makeContacts(service, CALLS, 'limiter')
    const rate = async (baseUrl: string) => {
      const automationId = await anAutomation(service, { steps: [wait(60), EMAIL] })
      return rateOf(contacts, CONCURRENCY, (contactId) =>
        post(baseUrl, service.key, `automations/${automationId}/enroll`, { contactId }),
      )
    }
    return {
      ours: () => rate(`http://127.0.0.1:${service.port}${BASE_PATH}`),
      bare: () => rate(unguarded.baseUrl),
      async close() {
        unguarded.server.close()
        unguarded.server.closeAllConnections()
        await service.stop()
      },
    }
  },
}
