import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importFile } from '../../src/imports/index.ts'
import type { Orm } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { openDatabase } from '../../src/schema/open.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { type Proxy, startProxy } from '../support/proxy.ts'
import { options, UNSUBSCRIBED } from './importing.ts'

describe('an import that loses the response to a commit', () => {
  let database: TestDatabase
  let proxy: Proxy
  let orm: Orm
  let folder: string

  before(async () => {
    database = await createDatabase()
    proxy = await startProxy(Number(new URL(database.url).port))
    const url = new URL(database.url)
    url.port = String(proxy.port)
    orm = openDatabase({ url: url.href })
    folder = mkdtempSync(join(tmpdir(), 'dripline-unheard-'))
    // Holds each commit of an import on an advisory lock.
    await sql(
      database.orm.em.fork(),
      `create function hold() returns trigger language plpgsql as
       $$ begin perform pg_advisory_xact_lock_shared(7); return null; end $$`,
    )
    await sql(
      database.orm.em.fork(),
      `create constraint trigger hold after update on imports deferrable initially deferred
       for each row execute function hold()`,
    )
  })
  after(async () => {
    await orm.close(true)
    await database.orm.close(true)
    await proxy.close()
    rmSync(folder, { recursive: true })
  })

  /** Holds commits of imports until the returned function is called. */
  async function hold(): Promise<() => Promise<void>> {
    let release!: () => void
    const released = new Promise<void>((resolve) => (release = resolve))
    let transaction!: Promise<void>
    await new Promise<void>((holds) => {
      transaction = database.orm.em.fork().transactional(async (holder) => {
        await sql(holder, 'select pg_advisory_xact_lock(7)')
        holds()
        await released
      })
    })
    return () => {
      release()
      return transaction
    }
  }

  it('applies the chunk once and reports it', async () => {
    const em = database.orm.em.fork()
    const workspace = await createWorkspace(em, { name: 'Unheard', mode: 'live' })
    const path = join(folder, 'x.csv')
    writeFileSync(path, 'email,unsubscribed\na@example.com,no\nb@example.com,yes\n')
    const release = await hold()
    const done = importFile(orm, workspace.id, { path, options: options({ columns: [UNSUBSCRIBED], consent: null }) })
    await eventually('the commit waits for the lock', async () => {
      const held = `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory' and query ilike 'commit%'`
      return (await sql(em, held)).length > 0 ? true : undefined
    })
    proxy.cut()
    await release()
    const { status, created, suppressed, failed } = await done
    assert.deepEqual({ status, created, suppressed, failed }, { status: 'DONE', created: 2, suppressed: 1, failed: 0 })
    const [count] = await sql<{ contacts: number; imports: number }>(
      database.orm.em.fork(),
      'select (select count(*) from contacts)::integer as contacts, (select count(*) from imports)::integer as imports',
    )
    assert.deepEqual(count, { contacts: 2, imports: 1 })
  })
})
