import assert from 'node:assert/strict'
import { once } from 'node:events'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { importing } from './importing.ts'

describe('an import whose process is killed', () => {
  const { service, em, domain, file, command, get } = importing()

  it('is continued by a worker, without a row that is lost or applied twice', async function () {
    this.timeout(180_000)
    const at = domain()
    const rows = Array.from({ length: 60_000 }, (_, n) => `u${n}@${at}${n % 1_000 === 7 ? ',surplus' : ''}`)
    await service().stopWorkers()
    const child = command(file(`email\n${rows.join('\n')}\n`))
    const found = await eventually('some rows are imported', async () => {
      const [row] = await sql<{ id: string }>(
        em(),
        `select id from imports where status = 'RUNNING' and created > 0 and position < size order by created_at desc limit 1`,
      )
      return row
    })
    child.kill('SIGKILL')
    await once(child, 'close')
    const { created, status } = await get(found.id)
    assert.equal(status, 'RUNNING')
    assert.ok(created > 0 && created < rows.length)
    await service().startWorker()
    const done = await eventually(
      'a worker finishes the import',
      async () => {
        const now = await get(found.id)
        return now.status === 'RUNNING' ? undefined : now
      },
      120_000,
    )
    assert.deepEqual([done.status, done.created, done.updated, done.failed], ['DONE', 59_940, 0, 60])
    const [left] = await sql<{ chunks: number; contacts: number }>(
      em(),
      `select (select count(*)::integer from import_chunks) as chunks,
         (select count(*)::integer from contacts where email like '%@' || $1) as contacts`,
      [at],
    )
    assert.deepEqual(left, { chunks: 0, contacts: 59_940 })
  })
})
