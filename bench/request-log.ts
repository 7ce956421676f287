import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApi } from '../src/http/index.ts'
import { createRequestLog } from '../src/request-log/index.ts'
import type { RecordRequest } from '../src/http/index.ts'
import { sql } from '../src/platform/db/sql.ts'
import { newId } from '../src/platform/ids.ts'
import { API, BASE_PATH } from '../src/runtime/operations.ts'
import { createKeyAuthentication } from '../src/workspaces/index.ts'
import { lenientRenderer, quietParts } from '../test/support/api-with.ts'
import { type Benchmark, median, timed } from './compare.ts'
import { get, rateOf } from './load.ts'
import { startService, type Service } from './service.ts'

const LOGGED = 1_000_000
const CALLS = Array.from({ length: 5_000 }, (_, n) => n)
const CONCURRENCY = 20

/** Fills the log, so that its indexes have a usual size. */
const FILL = `
insert into request_log (id, workspace_id, api_key_id, method, path, status, duration_ms, request_id, created_at)
select gen_random_uuid(), $1::uuid, gen_random_uuid(), 'GET', '/whoami', 200, 1, gen_random_uuid(), now() - n * interval '600 ms'
from generate_series($2::integer, $3::integer) as n`

/** Starts an API in this process. */
async function startApi({ context: { dependencies, orm } }: Service, recordRequest: RecordRequest) {
  const parts = { ...quietParts(), renderer: lenientRenderer, authenticateKey: createKeyAuthentication(orm.em) }
  const handle = createApi({ ...dependencies, ...parts, recordRequest }, API).callback()
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE_PATH}` }
}

/** Measures the median time of an insertion of 1,000 requests, in milliseconds. */
async function insertionMs({ context, workspaceId }: Service): Promise<number> {
  const log = createRequestLog(context.orm.em, context.dependencies.log)
  const keyId = newId()
  const request = { workspaceId, keyId, method: 'GET', path: '/whoami', status: 200, errorCode: null, errorParam: null }
  const times: number[] = []
  for (let round = 0; round < 20; round += 1) {
    for (let n = 0; n < 1_000; n += 1) log.record({ ...request, durationMs: 1, requestId: randomUUID() })
    times.push(await timed(() => log.flush()))
  }
  return median(times)
}

/** A cheap request with ÷ without the request log, through two APIs of the same process. */
export const requestLog: Benchmark = {
  name: 'request-log',
  title: 'GET /whoami requests/s with ÷ without the request log, which has a million rows, 20 at a time',
  goal: { atLeast: 0.9 },
  unit: 'requests/s',
  async prepare(note) {
    const service = await startService({ worker: false })
    const { em } = service.context.orm
    const page = LOGGED / 100
    for (let from = 0; from < LOGGED; from += page)
      await sql(em.fork(), FILL, [service.workspaceId, from + 1, from + page])
    const log = createRequestLog(em, service.context.dependencies.log)
    note(`Inserting 1,000 requests takes ${Math.round(await insertionMs(service))} ms.`)
    const logged = await startApi(service, log.record)
    const bare = await startApi(service, () => undefined)
    const rate = (baseUrl: string) => rateOf(CALLS, CONCURRENCY, () => get(baseUrl, service.key, 'whoami'))
    return {
      ours: () => rate(logged.baseUrl),
      bare: () => rate(bare.baseUrl),
      async close() {
        for (const { server } of [logged, bare]) {
          server.close()
          server.closeAllConnections()
        }
        await log.flush()
        await service.stop()
      },
    }
  },
}
