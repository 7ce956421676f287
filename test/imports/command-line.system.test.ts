import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { REAL_PAGE_SIZES, withPageSizes } from '../support/page-sizes.ts'
import type { ImportBody } from './importing.ts'

const CLI = fileURLToPath(new URL('../../src/bin/cli.ts', import.meta.url))

describe('an import by a process of the command line', () => {
  let service: Instance
  let folder: string
  // A worker that the test starts continues a long file.
  withPageSizes(REAL_PAGE_SIZES)
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dripline-imports-'))
    service = await startInstance({ worker: false })
  })
  after(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const em = () => service.context.orm.em.fork()
  const get = async (id: string) => (await service.call('GET', `imports/${id}`)).body.data as ImportBody
  /** Starts the import of a file. */
  const start = (content: string) => {
    const path = join(folder, 'contacts.csv')
    writeFileSync(path, content)
    const options = ['--workspace', service.workspaceId, '--consent', 'SUBSCRIBED', '--json']
    const env = { ...process.env, DATABASE_URL: service.context.config.DATABASE_URL, LOG_LEVEL: 'silent' }
    return { path, child: spawn(process.execPath, [CLI, 'import', path, ...options], { env }) }
  }

  it('writes failed rows to a file next to the input, and exits with 1', async () => {
    const { path, child } = start("email,First name\nnone,=1+1\nalso none,Ada\na@failed.example.com,'+49 30\n")
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number]>])
    assert.equal(code, 1, out)
    const done = JSON.parse(out) as { created: number; errorsIn: string }
    assert.deepEqual([done.created, done.errorsIn], [1, `${path}.errors.csv`])
    assert.equal(
      readFileSync(done.errorsIn, 'utf8'),
      'email,First name,Dripline: line,Dripline: problem\n' +
        "none,'=1+1,2,Invalid email address\nalso none,Ada,3,Invalid email address\n",
    )
    const contact = await service.call('GET', 'contacts/email:a@failed.example.com')
    assert.equal(contact.body.data.firstName, '+49 30')
  })

  it('is continued by a worker after it is killed, without a row that is lost or applied twice', async function () {
    this.timeout(180_000)
    const rows = Array.from(
      { length: 60_000 },
      (_, n) => `u${n}@killed.example.com${n % 1_000 === 7 ? ',surplus' : ''}`,
    )
    const { child } = start(`email\n${rows.join('\n')}\n`)
    const found = await eventually('some rows are imported', async () => {
      const running = `select id from imports where status = 'RUNNING' and created > 0 and position < size`
      return (await sql<{ id: string }>(em(), running))[0]
    })
    child.kill('SIGKILL')
    await once(child, 'close')
    const { created, status } = await get(found.id)
    assert.equal(status, 'RUNNING')
    assert.ok(created > 0 && created < rows.length)
    await service.startWorker()
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
         (select count(*)::integer from contacts where email like '%@killed.example.com') as contacts`,
    )
    assert.deepEqual(left, { chunks: 0, contacts: 59_940 })
  })
})
