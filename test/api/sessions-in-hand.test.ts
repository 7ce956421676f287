import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApi } from '../../src/api/app.ts'
import { sql } from '../../src/db/sql.ts'
import type { Renderer } from '../../src/mail/renderer.ts'
import { EMAIL } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

/** The pool's size, and more calls than it has sessions. */
const POOL = 10
const CALLS = POOL + 2

describe('a session with Postgres', () => {
  let service: Service
  let server: Server
  let trials: (() => void)[]
  before(async () => {
    service = await startService({ worker: false })
    const renderer: Renderer = {
      render: () => Promise.reject(new Error('Nothing is rendered here')),
      // Tried for as long as the test likes.
      check: () => new Promise((tried) => trials.push(() => tried([]))),
      problem: () => undefined,
      close: () => Promise.resolve(),
    }
    const api = createApi({
      ...service.context.dependencies,
      renderer,
      checkReadiness: () => Promise.resolve([]),
      checkHealth: () => [],
      trustedProxies: [],
    })
    const handle = api.callback()
    server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  beforeEach(() => {
    trials = []
  })
  after(async () => {
    server.close()
    await service.stop()
  })

  const send = async (method: string, path: string, body: unknown, key: string) => {
    const { port } = server.address() as AddressInfo
    const headers = { 'x-api-key': service.key, 'content-type': 'application/json', 'idempotency-key': key }
    const init = { method, headers, body: JSON.stringify(body) }
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, init)
    return { status: answer.status, body: (await answer.json()) as { data?: { id: string }; error?: string } }
  }
  const inTransaction = async () => {
    const rows = await sql(
      service.context.orm.em.fork(),
      `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    )
    return rows.length
  }

  it('is held by no call whose templates are being tried, also with an Idempotency-Key', async () => {
    const automation = { name: 'x', trigger: 'SIGNUP', steps: [EMAIL] }
    const calls = Array.from({ length: CALLS }, (_, n) => send('POST', 'automations', automation, `create-${n}`))
    await eventually('all are being tried', () => (trials.length === CALLS ? true : undefined))
    assert.equal(await inTransaction(), 0)
    for (const tried of trials) tried()
    assert.deepEqual(
      (await Promise.all(calls)).map(({ status }) => status),
      Array.from({ length: CALLS }, () => 201),
    )
  })

  it('is not needed to try them again: a repeated call is answered as the first was', async () => {
    const automation = { name: 'once', trigger: 'SIGNUP', steps: [EMAIL] }
    const first = send('POST', 'automations', automation, 'once')
    await eventually('it is being tried', () => (trials.length === 1 ? true : undefined))
    trials[0]!()
    assert.equal((await first).status, 201)
    assert.deepEqual(await send('POST', 'automations', automation, 'once'), await first)
    assert.equal(trials.length, 1)
  })
})
