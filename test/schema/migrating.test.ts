import assert from 'node:assert/strict'
import { Client } from 'pg'
import { migrate, pendingMigrations } from '../../src/platform/db/orm.ts'
import { migrationNames, openDatabase } from '../../src/schema/index.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { services } from '../support/servers.ts'

describe('migrating', () => {
  it('is repeated if it loses a deadlock against another transaction', async () => {
    const url = await createEmptyDatabase()
    const superuserUrl = new URL((await services()).superuserUrl)
    superuserUrl.pathname = new URL(url).pathname
    const other = new Client({ connectionString: superuserUrl.href })
    const orm = openDatabase({ url, timeoutMs: 60_000 })
    try {
      await other.connect()
      await migrate(orm, migrationNames.slice(0, migrationNames.indexOf('segments-001-baseline')))
      await other.query('begin')
      // Makes Postgres abort the migration instead of this transaction.
      await other.query(`set local deadlock_timeout = '30s'`)
      // The missing tables refer to workspaces first, and to contacts later.
      await other.query('lock table contacts in access exclusive mode')
      const migrated = migrate(orm)
      await eventually('it waits', async () => {
        const { rowCount } = await other.query('select from pg_locks where not granted and database is not null')
        return (rowCount ?? 0) > 0 || undefined
      })
      await other.query('lock table workspaces in access exclusive mode')
      await other.query('rollback')
      assert.ok((await migrated).includes('lists-001-baseline'))
      assert.deepEqual(await pendingMigrations(orm), [])
    } finally {
      await other.end()
      await orm.close(true)
    }
  }).timeout(180_000)
})
