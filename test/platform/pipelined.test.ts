import assert from 'node:assert/strict'
import type { EntityManager } from '../../src/platform/db/orm.ts'
import { pipelined, preparedSql, sql } from '../../src/platform/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

describe('a transaction whose statements are sent together', () => {
  let database: TestDatabase

  before(async () => {
    database = await createDatabase()
    await sql(em(), 'create table entries (n integer primary key)')
  })
  beforeEach(() => sql(em(), 'truncate entries'))
  after(() => database.orm.close(true))

  const em = () => database.orm.em.fork()
  const insert = (of: EntityManager, n: number) =>
    preparedSql(of, 'insert-entry', 'insert into entries values ($1::integer)', [n])
  const list = async (of: EntityManager = em()) =>
    (await sql<{ n: number }>(of, 'select n from entries order by n')).map(({ n }) => n)
  const count = async (of: EntityManager) => (await list(of)).length

  it('runs statements in the order of the calls, and each sees those before it', async () => {
    const counts = await pipelined(em(), async (unit) => {
      const [, one, , two] = await Promise.all([insert(unit, 1), count(unit), insert(unit, 2), count(unit)])
      assert.deepEqual(await list(), [])
      return async () => {
        await insert(unit, 3)
        return [one, two]
      }
    })
    assert.deepEqual(counts, [1, 2])
    assert.deepEqual(await list(), [1, 2, 3])
  })

  it('rolls back if a statement fails, and returns a usable session', async () => {
    const failing = [
      pipelined(em(), async (unit) => {
        await Promise.all([insert(unit, 1), insert(unit, 1), insert(unit, 2)])
        return () => insert(unit, 3)
      }),
      pipelined(em(), async (unit) => {
        await insert(unit, 4)
        return () => insert(unit, 4)
      }),
      pipelined(em(), async (unit) => {
        await insert(unit, 5)
        throw Object.assign(new Error('thrown'), { code: '23505' })
      }),
    ]
    for (const result of await Promise.allSettled(failing)) {
      assert.equal(result.status === 'rejected' && (result.reason as { code: string }).code, '23505')
    }
    assert.deepEqual(await list(), [])
  })

  it('rejects a statement after COMMIT', async () => {
    const late = pipelined(em(), async (unit) => {
      await insert(unit, 1)
      return async () => {
        await Promise.resolve()
        return insert(unit, 2)
      }
    })
    await assert.rejects(late, /The transaction is over/)
    assert.deepEqual(await list(), [1])
  })

  it('fails if the session is lost before COMMIT', async () => {
    const lost = pipelined(em(), async (unit) => {
      await insert(unit, 1)
      return () => sql(unit, 'select pg_terminate_backend(pg_backend_pid())')
    })
    await assert.rejects(lost)
    assert.deepEqual(await list(), [])
  })

  it('joins a transaction that is open already', async () => {
    await em().transactional(async (unit) => {
      await pipelined(unit, async (same) => {
        await insert(same, 1)
        return () => insert(same, 2)
      })
      assert.deepEqual(await list(), [])
    })
    assert.deepEqual(await list(), [1, 2])
  })
})
