import assert from 'node:assert/strict'
import { isConflict, isTooExpensive } from '../../src/platform/db/errors.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { openDatabase } from '../../src/schema/open.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { type Proxy, startProxy } from '../support/proxy.ts'

describe('a request that Postgres does not answer in time', () => {
  let database: TestDatabase
  let proxy: Proxy
  let service: Instance
  before(async () => {
    database = await createDatabase()
    proxy = await startProxy(Number(new URL(database.url).port))
    const url = new URL(database.url)
    url.port = String(proxy.port)
    service = await startInstance({ worker: false, env: { DATABASE_URL: url.href } })
    const em = database.orm.em.fork()
    service.workspaceId = (await createWorkspace(em, { name: 'Unanswered', mode: 'live' })).id
    service.key = await service.newKey({ workspaceId: service.workspaceId })
    await sql(
      em,
      `create function hold() returns trigger language plpgsql as
       $$ begin perform pg_advisory_xact_lock_shared(7); return null; end $$`,
    )
    await sql(
      em,
      `create constraint trigger hold after insert on lists deferrable initially deferred
       for each row execute function hold()`,
    )
  })
  after(async () => {
    await service.stop()
    await proxy.close()
    await database.orm.close(true)
  })

  it('returns outcome_unknown if the COMMIT is not answered, and its repetition the outcome', async () => {
    const create = () =>
      service.call('POST', 'lists', { name: 'Readers' }, { headers: { 'idempotency-key': 'create-readers' } })
    const done = Promise.withResolvers<void>()
    const holds = Promise.withResolvers<void>()
    const holder = database.orm.em.fork().transactional(async (unit) => {
      await sql(unit, 'select pg_advisory_xact_lock(7)')
      holds.resolve()
      await done.promise
    })
    await holds.promise
    const first = create()
    await eventually('the commit waits', async () => {
      const waiting = await sql(
        database.orm.em.fork(),
        `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory' and query ilike 'commit%'`,
      )
      return waiting.length > 0 ? true : undefined
    })
    proxy.cut()
    const { refused, body } = await first
    assert.equal(refused, '503 outcome_unknown')
    assert.match(body.error, /may or may not have happened.*same Idempotency-Key/)
    done.resolve()
    await holder
    const repeated = await eventually('the first attempt is over', async () => {
      const answer = await create()
      return answer.refused === undefined ? answer : undefined
    })
    assert.equal(repeated.status, 201)
    const lists = await service.call('GET', 'lists')
    assert.equal(lists.body.data.length, 1)
  })

  it('tells a statement that takes too long from one that waits for a concurrent one', async () => {
    const orm = openDatabase({ url: database.url, timeoutMs: 1_000 })
    try {
      const slow = await sql(orm.em.fork(), 'select pg_sleep(30)').catch((error: unknown) => error)
      assert.deepEqual([isTooExpensive(slow), isConflict(slow)], [true, true])
      const blocked = await database.orm.em.fork().transactional(async (unit) => {
        await sql(unit, 'select from workspaces for update')
        return sql(orm.em.fork(), `update workspaces set name = 'Another'`).catch((error: unknown) => error)
      })
      assert.deepEqual([isTooExpensive(blocked), isConflict(blocked)], [false, true])
    } finally {
      await orm.close(true)
    }
  })
})
