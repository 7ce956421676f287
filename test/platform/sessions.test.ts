import assert from 'node:assert/strict'
import type { Pool, PoolClient } from 'pg'
import { type Orm } from '../../src/platform/db/orm.ts'
import { openDatabase } from '../../src/schema/open.ts'
import { createSessionWatch } from '../../src/platform/db/session-watch.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { startProxy, type Proxy } from '../support/proxy.ts'

const POOL = 3
const TIMEOUT_MS = 1_000

describe('Postgres connections', () => {
  let database: TestDatabase
  let proxy: Proxy
  let orm: Orm

  before(async () => {
    database = await createDatabase()
    proxy = await startProxy(Number(new URL(database.url).port))
    const url = new URL(database.url)
    url.port = String(proxy.port)
    orm = openDatabase({ url: url.href, poolSize: POOL, timeoutMs: TIMEOUT_MS })
    await sql(database.orm.em.fork(), 'create table counter (id integer primary key, value integer not null)')
    await sql(database.orm.em.fork(), 'insert into counter values (1, 0)')
  })

  after(async () => {
    await orm.close(true)
    await database.orm.close(true)
    await proxy.close()
  })

  /** Runs a query on every connection of the pool, simultaneously. */
  const assertFullService = () => Promise.all(Array.from({ length: POOL * 3 }, () => sql(orm.em.fork(), 'select 1')))

  const sessions = (state: string) =>
    sql<{ pid: number }>(
      database.orm.em.fork(),
      `select pid from pg_stat_activity where datname = current_database() and state = $1 and pid <> pg_backend_pid()`,
      [state],
    )

  const inTransaction = (run: (em: Orm['em']) => Promise<unknown>) =>
    orm.em.fork().transactional(async (em) => {
      await sql(em, 'update counter set value = value + 1 where id = 1')
      await run(em)
    })

  it('keeps connections available when backends end within transactions, fifty times', async () => {
    for (let n = 0; n < 50; n += 1) {
      await assert.rejects(inTransaction((em) => sql(em, 'select pg_terminate_backend(pg_backend_pid())')))
    }
    await assertFullService()
  })

  it('keeps connections available when the network breaks within transactions', async () => {
    for (let n = 0; n < 2 * POOL; n += 1) {
      await assert.rejects(
        inTransaction(async (em) => {
          proxy.cut()
          await sql(em, 'select 1')
        }),
      )
    }
    await assertFullService()
  })

  it('does not reuse a connection while an abandoned statement still runs on it', async () => {
    proxy.stall()
    await Promise.all(Array.from({ length: POOL }, () => assert.rejects(sql(orm.em.fork(), 'select 1'))))
    proxy.resume()
    for (let n = 0; n < POOL * 2; n += 1) await sql(orm.em.fork(), 'select 1')
    await assertFullService()
  })

  it('leaves no lock behind when the network stops responding within a transaction', async () => {
    await assert.rejects(
      inTransaction(async (em) => {
        proxy.stall()
        await sql(em, 'select 1')
      }),
    )
    // The proxy also holds the closing message, so Postgres itself has to end the connection.
    await eventually('the lock is free', async () =>
      (await sessions('idle in transaction')).length === 0 ? true : undefined,
    )
    proxy.resume()
    await assertFullService()
    await sql(orm.em.fork(), 'update counter set value = value + 1 where id = 1')
  })

  it('ends a statement in Postgres before the caller gives up', async () => {
    await assert.rejects(sql(orm.em.fork(), 'select pg_sleep(30)'), /statement timeout/)
    // Postgres sends the error before it shows the session as idle.
    const isIdle = async () => (await sessions('active')).length === 0 || undefined
    await eventually('no statement runs', isIdle, 10_000)
    await assertFullService()
  })

  it('reports lost connections when all are in use for too long, but not while they return after errors', async () => {
    const LONGEST_MS = 60_000
    const watch = createSessionWatch(POOL, LONGEST_MS)
    let pool: Pool | undefined
    const onPool = (made: Pool) => {
      pool = made
      watch.watch(made)
    }
    const url = new URL(database.url)
    url.port = String(proxy.port)
    const watched = openDatabase({ url: url.href, poolSize: POOL, timeoutMs: TIMEOUT_MS, onPool })
    const query = () => sql(watched.em.fork(), 'select 1')
    // The watch uses this clock only.
    const realNow = performance.now.bind(performance)
    let skippedMs = 0
    performance.now = () => realNow() + skippedMs
    try {
      await Promise.all(Array.from({ length: POOL }, query))
      proxy.stall()
      for (let n = 0; n < 2; n += 1) {
        await Promise.allSettled(Array.from({ length: POOL * 2 }, query))
        skippedMs += LONGEST_MS
        assert.equal(watch.problem(), undefined)
      }
      proxy.resume()
      await eventually('Postgres is back', () => query().catch(() => undefined))

      const forgotten: PoolClient[] = []
      for (let n = 0; n < POOL; n += 1) forgotten.push(await pool!.connect())
      assert.equal(watch.problem(), undefined)
      skippedMs += LONGEST_MS
      assert.equal(
        watch.problem(),
        `All ${POOL} sessions with Postgres are leaked: they have been in use for too long and were not released`,
      )
      await assert.rejects(query())
      forgotten.pop()!.release()
      assert.equal(watch.problem(), undefined)
      await query()
      for (const session of forgotten) session.release()
    } finally {
      performance.now = realNow
      proxy.resume()
      await watched.close(true)
    }
  })
})
