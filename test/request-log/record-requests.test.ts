import assert from 'node:assert/strict'
import type { FinishedRequest } from '../../src/http/index.ts'
import type { Log } from '../../src/outbox/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { createRequestLog } from '../../src/request-log/index.ts'
import { deleteOldHistory } from '../../src/relay/delete-old-history.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const MAX_PENDING = 5_000

describe('recording requests', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()
  const aRequest = (keyId: string, workspaceId = service.workspaceId): FinishedRequest => ({
    workspaceId,
    keyId,
    method: 'GET',
    path: '/contacts/{id}',
    status: 200,
    errorCode: null,
    errorParam: null,
    durationMs: 3,
    requestId: newId(),
  })
  const stored = async (keyId: string) =>
    (await sql(em(), 'select from request_log where api_key_id = $1::uuid', [keyId])).length

  function linesOfLog() {
    const lines: [message: string, dropped: unknown][] = []
    const add = (fields: object, message: string) =>
      void lines.push([message, (fields as { dropped?: unknown }).dropped])
    return { lines, log: { debug: add, info: add, warn: add, error: add } satisfies Log }
  }

  it('writes the requests of a second together, and the last ones when the process stops', async () => {
    const keyId = newId()
    const { lines, log } = linesOfLog()
    const requestLog = createRequestLog(em(), log)
    requestLog.record(aRequest(keyId))
    requestLog.record(aRequest(keyId))
    assert.equal(await stored(keyId), 0)
    await eventually('both are written', async () => (await stored(keyId)) === 2 || undefined)
    requestLog.record(aRequest(keyId))
    await requestLog.flush()
    assert.equal(await stored(keyId), 3)
    assert.deepEqual(lines, [])
  })

  it('drops requests that do not fit into memory, and logs how many', async () => {
    const keyId = newId()
    const { lines, log } = linesOfLog()
    const requestLog = createRequestLog(em(), log)
    for (let n = 0; n < MAX_PENDING + 2; n += 1) requestLog.record(aRequest(keyId))
    await requestLog.flush()
    assert.equal(await stored(keyId), MAX_PENDING)
    assert.deepEqual(lines, [['The request log is incomplete', 2]])
  })

  it('drops requests that cannot be written, and records the next ones', async () => {
    const keyId = newId()
    const { lines, log } = linesOfLog()
    const requestLog = createRequestLog(em(), log)
    requestLog.record(aRequest(keyId, newId()))
    requestLog.record(aRequest(keyId))
    await requestLog.flush()
    requestLog.record(aRequest(keyId))
    await requestLog.flush()
    assert.equal(await stored(keyId), 1)
    assert.deepEqual(lines, [
      ['Requests could not be written to the request log', undefined],
      ['The request log is incomplete', 2],
    ])
  })

  it('deletes requests after seven days, page by page', async () => {
    const keyId = newId()
    // IDs of the time of the request, as the service makes them.
    const insert = `insert into request_log (id, workspace_id, api_key_id, method, status, duration_ms, request_id, created_at)
      select ('00000000-0000-7000-8000-' || lpad(days::text, 12, '0'))::uuid, $1::uuid, $2::uuid, 'GET', 200, 1, days,
        now() - make_interval(days => 30 - days)
      from generate_series(20, 29) as days`
    await sql(em(), insert, [service.workspaceId, keyId])
    while (await deleteOldHistory(em(), 2));
    const left = await sql<{ days: string }>(
      em(),
      'select request_id as days from request_log where api_key_id = $1::uuid',
      [keyId],
    )
    assert.deepEqual(left.map(({ days }) => days).toSorted(), ['24', '25', '26', '27', '28', '29'])
  })
})
