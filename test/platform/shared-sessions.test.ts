import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import type { Renderer } from '../../src/rendering/renderer.ts'
import { lenientRenderer, startApiWith, type ApiWith } from '../support/api-with.ts'
import { EMAIL } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

/** The pool's size, and more calls than it has sessions. */
const POOL = 10
const CALLS = POOL + 2
/** How many of them one workspace may have, and how many requests of one subject are counted at a time. */
const SHARE = 6
const COUNTED = 2

describe('a session with Postgres', () => {
  let service: Service
  let api: ApiWith
  let trials: (() => void)[]
  before(async () => {
    service = await startService({ worker: false })
    // Tried for as long as the test likes.
    const check: Renderer['check'] = () =>
      new Promise((tried) => trials.push(() => tried({ problems: [], unknownVariables: [] })))
    api = await startApiWith(service, { renderer: { ...lenientRenderer, check } })
  })
  beforeEach(() => {
    trials = []
  })
  after(async () => {
    api.close()
    await service.stop()
  })

  const send = (method: string, path: string, body: unknown, key: string) =>
    api.send(method, path, body, { 'idempotency-key': key })
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

  /** How many sessions wait for a lock that somebody holds. */
  const waiting = async () => {
    const rows = await sql(
      service.context.orm.em.fork(),
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length
  }
  /** Does something while a statement's locks are held. */
  const whileLocked = (statement: string, parameters: unknown[], run: () => Promise<void>) =>
    service.context.orm.em.fork().transactional(async (unit) => {
      await sql(unit, statement, parameters)
      await run()
    })
  const get = (key: string | null) => service.call('GET', 'whoami', undefined, { key })

  it('is there for a workspace while another one waits with all that it may have', async () => {
    const others = await service.newKey()
    let calls: Promise<number>[] = []
    await whileLocked('lock table contacts in exclusive mode', [], async () => {
      calls = Array.from({ length: CALLS }, async (_, n) => {
        const { status } = await service.call('POST', 'contacts', { email: `waits-${n}@example.com` })
        return status
      })
      await eventually('its share waits', async () => ((await waiting()) >= SHARE ? true : undefined))
      assert.equal((await get(others)).status, 200)
      assert.equal(await waiting(), SHARE)
    })
    // What waited in line, with no session, has its turn.
    assert.deepEqual(
      await Promise.all(calls),
      calls.map(() => 201),
    )
  })

  it('is there for a key while somebody without one asks on and on', async () => {
    const first = await get(null)
    assert.equal(first.refused, '401 key_missing')
    // Before, because what is made within the transaction is seen by nobody until it ends.
    const key = await service.newKey()
    let calls: Promise<number>[] = []
    await whileLocked('select from rate_windows where last_at is not null for update', [], async () => {
      calls = Array.from({ length: CALLS }, async () => (await get(null)).status)
      await eventually('some wait for their window', async () => ((await waiting()) >= COUNTED ? true : undefined))
      assert.equal((await get(key)).status, 200)
      assert.equal(await waiting(), COUNTED)
    })
    assert.deepEqual(
      await Promise.all(calls),
      calls.map(() => 401),
    )
  })
})
