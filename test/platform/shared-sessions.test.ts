import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import type { Renderer } from '../../src/rendering/renderer.ts'
import { lenientRenderer, startApiWith, type ApiWith } from '../support/api-with.ts'
import { EMAIL } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

/** The pool size, and a number of calls that exceeds it. */
const POOL = 10
const CALLS = POOL + 2
/** The share of one workspace, and the number of rate limit checks of one subject that run at a time. */
const SHARE = 6
const COUNTED = 1

describe('a Postgres connection', () => {
  let service: Service
  let api: ApiWith
  let checks: (() => void)[]
  before(async () => {
    service = await openWorkspace({ worker: false })
    // Each template check lasts until the test ends it.
    const check: Renderer['check'] = () =>
      new Promise((finish) => checks.push(() => finish({ problems: [], variables: [], unknownVariables: [] })))
    api = await startApiWith(service, { renderer: { ...lenientRenderer, check } })
  })
  beforeEach(() => {
    checks = []
  })
  after(() => api.close())

  const send = (method: string, path: string, body: unknown, key: string) =>
    api.send(method, path, body, { 'idempotency-key': key })
  const inTransaction = async () => {
    const rows = await sql(
      service.context.orm.em.fork(),
      `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    )
    return rows.length
  }

  it('holds no connection while templates are checked, even with an Idempotency-Key', async () => {
    const automation = { name: 'x', trigger: 'SIGNUP', steps: [EMAIL] }
    const calls = Array.from({ length: CALLS }, (_, n) => send('POST', 'automations', automation, `create-${n}`))
    await eventually('all checks have begun', () => (checks.length === CALLS ? true : undefined))
    assert.equal(await inTransaction(), 0)
    for (const finish of checks) finish()
    assert.deepEqual(
      (await Promise.all(calls)).map(({ status }) => status),
      Array.from({ length: CALLS }, () => 201),
    )
  })

  /** The number of connections that wait for a lock. */
  const waiting = async () => {
    const rows = await sql(
      service.context.orm.em.fork(),
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length
  }
  /** Runs a function while the locks of a statement are held. */
  const whileLocked = (statement: string, parameters: unknown[], run: () => Promise<void>) =>
    service.context.orm.em.fork().transactional(async (unit) => {
      await sql(unit, statement, parameters)
      await run()
    })
  const get = (key: string | null) => service.call('GET', 'whoami', undefined, { key })

  it('keeps connections for a workspace while another one waits with its whole share', async () => {
    const others = await service.newKey()
    let calls: Promise<number>[] = []
    await whileLocked('lock table contacts in exclusive mode', [], async () => {
      calls = Array.from({ length: CALLS }, async (_, n) => {
        const { status } = await service.call('POST', 'contacts', { email: `waits-${n}@example.com` })
        return status
      })
      await eventually('all connections of its share wait', async () => ((await waiting()) >= SHARE ? true : undefined))
      assert.equal((await get(others)).status, 200)
      assert.equal(await waiting(), SHARE)
    })
    // The calls that queued without a connection run now.
    assert.deepEqual(
      await Promise.all(calls),
      calls.map(() => 201),
    )
  })

  it('keeps connections for a key during many requests without a key', async () => {
    const first = await get(null)
    assert.equal(first.refused, '401 key_missing')
    // Created before the transaction, whose changes are not visible until it ends.
    const key = await service.newKey()
    let calls: Promise<number>[] = []
    await whileLocked('select from rate_windows where last_at is not null for update', [], async () => {
      calls = Array.from({ length: CALLS }, async () => (await get(null)).status)
      await eventually('a request waits for the rate limit', async () =>
        (await waiting()) >= COUNTED ? true : undefined,
      )
      assert.equal((await get(key)).status, 200)
      assert.equal(await waiting(), COUNTED)
    })
    assert.deepEqual(
      await Promise.all(calls),
      calls.map(() => 401),
    )
  })
})
