import assert from 'node:assert/strict'
import { importFile } from '../../src/imports/index.ts'
import { deleteBeforeStart } from '../../src/imports/imports.ts'
import { importing, options, UNSUBSCRIBED } from './importing.ts'

describe('an import', () => {
  const { service, folder, em, domain, file, draft, contact, atCommandLine } = importing()

  describe('of a file on the command line', () => {
    it('reads all encodings that spreadsheets write', async () => {
      const at = domain()
      const text = `email,first name\r\na@${at},Zoë €’Müller\r\n`
      const swap = (bytes: Buffer) => Buffer.from(bytes).swap16()
      const files: [string, Buffer][] = [
        ['utf-8', Buffer.from(text)],
        ['utf-8 with a mark', Buffer.from(`\ufeff${text}`)],
        ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
        ['utf-16be', swap(Buffer.from(`\ufeff${text}`, 'utf16le'))],
        // €, ’, ë and ü in Windows-1252.
        ['windows-1252', Buffer.from(text.replace('€', '\x80').replace('’', '\x92'), 'latin1')],
      ]
      for (const [what, bytes] of files) {
        const [, local] = /^(\S+)/.exec(what)!
        const done = await atCommandLine(file(bytes), {})
        assert.equal(done.created + done.updated, 1, what)
        assert.equal((await contact(`a@${at}`))!.firstName, 'Zoë €’Müller', `${what} ${local}`)
      }
    })

    it('starts again from the beginning if the file has changed', async () => {
      const at = domain()
      const name = `${at}.csv`
      // Each chunk of the file has 256 KB.
      const rows = Array.from({ length: 200 }, (_, n) => `u${n}@${at},0,${'x'.repeat(5_000)}`)
      const head = 'email,unsubscribed,note\n'
      const path = file(head + rows.join('\n'), name)
      const given = options({ columns: [UNSUBSCRIBED, { column: 'note', field: 'nothing' }], consent: null })
      const run = (tell?: () => void) => importFile({ em: em() }, service().workspaceId, { path, options: given }, tell)
      let chunks = 0
      await assert.rejects(
        run(() => {
          if ((chunks += 1) === 3) throw new Error('stopped')
        }),
        /stopped/,
      )
      // The size and the beginning are the same.
      rows[75] = rows[75]!.replace(',0,', ',1,')
      file(head + rows.join('\n'), name)
      const done = await run()
      assert.deepEqual({ status: done.status, failed: done.failed }, { status: 'DONE', failed: 0 })
      assert.equal((await contact(`u75@${at}`))?.suppressedBy, 'IMPORTED')
    })

    it('repeats nothing if it is killed after the last chunk but before its report', async () => {
      const at = domain()
      const path = file(`email,first name\na@${at},Ada\nb@${at},Bo\nc\0@${at},x\n`)
      const done = await importFile({ em: em() }, service().workspaceId, {
        path,
        // As the command line passes them.
        options: options(),
      })
      assert.deepEqual({ created: done.created, failed: done.failed }, { created: 2, failed: 1 })
      const { id } = (await contact(`b@${at}`)) as unknown as { id: string }
      await service().call('DELETE', `contacts/${id}`)
      const again = await atCommandLine(path)
      assert.equal(again.id, done.id)
      assert.equal(await contact(`b@${at}`), undefined)
      // After the report, the same file is a new import.
      assert.notEqual((await atCommandLine(path)).id, done.id)
    })

    it('leaves no import for a file that cannot be read', async () => {
      const before = (await service().call('GET', 'imports?limit=1')).body as { pagination: { total: number } }
      await assert.rejects(
        atCommandLine(file('name\nAda\n'), { column: [{ column: 'name', field: 'name' }] }),
        /Map the column of the addresses/,
      )
      await assert.rejects(atCommandLine(folder()), /does not exist or cannot be read/)
      const after = (await service().call('GET', 'imports?limit=1')).body as { pagination: { total: number } }
      assert.equal(after.pagination.total, before.pagination.total)
    })

    it('deletes an import after an error only if it has not started', async () => {
      const [left, started] = [await draft(`email\na@${domain()}\n`), await draft(`email\na@${domain()}\n`)]
      await service().call('POST', `imports/${started.id}/start`)
      for (const { id } of [left, started]) await deleteBeforeStart(em(), service().workspaceId, id)
      assert.equal((await service().call('GET', `imports/${left.id}`)).status, 404)
      assert.equal((await service().call('GET', `imports/${started.id}`)).status, 200)
    })
  })
})
