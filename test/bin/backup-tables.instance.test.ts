import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { loadTables, saveTables } from '../../embedded/backup/tables.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createMigratedDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { aList } from '../support/factories.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { services } from '../support/servers.ts'

const READERS = 40

describe('the tables of a backup', () => {
  let service: Instance
  let folder: string
  before(async () => {
    service = await startInstance({ env: { PUBLIC_URL: 'https://mail.example.com' } })
    folder = mkdtempSync(join(tmpdir(), 'dripline-tables-'))
  })
  after(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const em = () => service.context.orm.em.fork()

  it('restore an A/B test that waits for its winner, and one that was cancelled while it waited', async () => {
    const listId = await aList(service)
    const contacts = Array.from({ length: READERS }, (_, n) => ({ email: `reader-${n}@example.com`, listId }))
    await service.call('POST', 'contacts/bulk', { contacts })
    await sql(
      em(),
      'insert into senders (workspace_id, track_opens, track_clicks, updated_at) values ($1::uuid, true, true, now())',
      [service.workspaceId],
    )
    const ids: string[] = []
    for (const name of ['Waits', 'Is cancelled']) {
      const content = { name, subject: 'One', text: 'Hello', audience: { listIds: [listId] } }
      const abTest = { variants: [{ subject: 'Two' }], testPercent: 20, winnerBy: 'OPENED', afterMinutes: 60 }
      const { body } = await service.call('POST', 'campaigns', { ...content, abTest })
      const id = body.data.id as string
      const scheduled = await service.call('POST', `campaigns/${id}/schedule`, {})
      assert.equal(scheduled.status, 202, JSON.stringify(scheduled.body))
      await eventually('the other recipients wait', async () => {
        const waiting = await sql(em(), `select from messages where campaign_id = $1::uuid and due_at = 'infinity'`, [
          id,
        ])
        return waiting.length > 0 ? true : undefined
      })
      ids.push(id)
    }
    assert.equal((await service.call('POST', `campaigns/${ids[1]!}/cancel`)).status, 200)
    await eventually('its recipients are dismissed', async () => {
      const rest = await sql(em(), `select from messages where campaign_id = $1::uuid and status = 'QUEUED'`, [ids[1]!])
      return rest.length === 0 ? true : undefined
    })
    const saved = await saveTables(service.context.config.DATABASE_URL, folder)
    const target = await createMigratedDatabase()
    const superuser = new URL((await services()).superuserUrl)
    superuser.pathname = new URL(target).pathname
    await loadTables(superuser.href, folder, saved)
    const restored = new Client({ connectionString: target })
    await restored.connect()
    try {
      const count = `select count(*)::integer as count from messages where campaign_id = $1 and due_at = 'infinity'`
      const [waiting, cancelled] = await Promise.all(ids.map((id) => restored.query<{ count: number }>(count, [id])))
      assert.ok(waiting!.rows[0]!.count > READERS / 2)
      assert.equal(cancelled!.rows[0]!.count, 0)
    } finally {
      await restored.end()
    }
  })

  it('are not saved if one has a time that a restore would reject', async () => {
    await sql(em(), `update workspaces set created_at = 'infinity'`)
    await assert.rejects(
      saveTables(service.context.config.DATABASE_URL, folder),
      /The table workspaces has an invalid time in created_at/,
    )
  })
})
