import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ImportRequest } from '../../src/bin/commands/run-import.ts'
import { fileStatusOf } from '../../src/bin/commands/import.ts'
import { importFile } from '../../src/imports/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { importing } from './importing.ts'

const FILES = fileURLToPath(new URL('files/', import.meta.url))

describe('an import', () => {
  const { service, folder, em, domain, file, contact, command, ended, atCommandLine } = importing()

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
      const rows = Array.from({ length: 40_000 }, (_, n) => `u${n}@${at},0`)
      const head = 'email,unsubscribed\n'
      const path = file(head + rows.join('\n'), name)
      const options = { columns: [], listId: null, tags: [], as: null, triggers: false }
      const run = (tell?: () => void) =>
        importFile({ em: em() }, service().workspaceId, { path, format: 'csv', options }, tell)
      let chunks = 0
      await assert.rejects(
        run(() => {
          if ((chunks += 1) === 3) throw new Error('stopped')
        }),
        /stopped/,
      )
      // The size and the beginning are the same.
      rows[15_000] = `u15000@${at},1`
      file(head + rows.join('\n'), name)
      const done = await run()
      assert.deepEqual({ status: done.status, failed: done.failed }, { status: 'DONE', failed: 0 })
      assert.equal((await contact(`u15000@${at}`))?.suppressedBy, 'IMPORTED')
    })

    it('repeats nothing if it is killed after the last chunk but before its report', async () => {
      const at = domain()
      const path = file(`email,first name\na@${at},Ada\nb@${at},Bo\nc\0@${at},x\n`)
      const options = { columns: [], listId: null, tags: [], as: null, triggers: false }
      const done = await importFile({ em: service().context.orm.em }, service().workspaceId, {
        path,
        format: 'csv',
        options,
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
      await assert.rejects(atCommandLine(file('name\nAda\n')), /no column for addresses/)
      await assert.rejects(atCommandLine(folder()), /does not exist or cannot be read/)
      const after = (await service().call('GET', 'imports?limit=1')).body as { pagination: { total: number } }
      assert.equal(after.pagination.total, before.pagination.total)
    })

    it('writes failed rows to a file next to the input, and exits with 1', async () => {
      const path = file(`email\nnobody\nalso nobody\na@${domain()}\n`)
      const { code, out } = await ended(command(path))
      assert.equal(code, 1, out)
      const done = JSON.parse(out) as { created: number; errorsIn: string }
      assert.equal(done.created, 1)
      assert.equal(done.errorsIn, `${path}.errors.csv`)
      assert.equal(
        readFileSync(done.errorsIn, 'utf8'),
        'line,problem\n2,Invalid email address\n3,Invalid email address\n',
      )
    })
  })

  describe('of another service’s export', () => {
    /** Imports the files into a new workspace and returns its contacts by the local part of their address. */
    async function importAll(
      format: ImportRequest['format'],
      files: readonly string[],
      as: Record<string, ImportRequest['as']> = {},
    ) {
      const [row] = await sql<{ id: string }>(
        em(),
        `insert into workspaces (id, name, mode) values (gen_random_uuid(), 'Import', 'live') returning id`,
      )
      const workspace = row!.id
      for (const name of files) {
        const done = await atCommandLine(join(FILES, name), {
          workspace,
          format,
          as: as[name] ?? fileStatusOf(format, name.replace(/^mailchimp-/, '')),
          errors: join(folder(), 'errors.csv'),
        })
        assert.deepEqual({ failed: done.failed, problem: done.problem }, { failed: 0, problem: null }, name)
      }
      const rows = await sql<{
        email: string
        first_name: string | null
        metadata: Record<string, unknown>
        tags: string[] | null
        reasons: string[] | null
      }>(
        em(),
        `select lower(email) as email, first_name, metadata,
           (select array_agg(name order by name) from contact_tags where contact_id = contact.id) as tags,
           (select array_agg(reason order by reason) from suppressions
            where workspace_id = contact.workspace_id and address_hash = address_hash(contact.workspace_id, contact.email_key)) as reasons
         from contacts contact where workspace_id = $1::uuid order by 1`,
        [workspace],
      )
      return new Map(rows.map(({ email, ...of }) => [email.split('@')[0]!, { ...of, reasons: of.reasons ?? [] }]))
    }

    it('reads names, attributes, the blocklist and list opt-outs from listmonk', async () => {
      const people = await importAll('listmonk', ['listmonk.csv', 'listmonk-list-unsubscribed.csv'], {
        'listmonk-list-unsubscribed.csv': 'UNSUBSCRIBED',
      })
      const source = readFileSync(join(FILES, 'listmonk.csv'), 'utf8')
      const blocklisted = [...source.matchAll(/^[^,]+,([^@,]+)@.*,(?:blocklisted|disabled),/gm)].map(
        ([, name]) => name!,
      )
      assert.ok(blocklisted.length > 0)
      for (const [name, { reasons }] of people) {
        const expected = blocklisted.includes(name) ? ['MANUAL'] : ['li.wei', 'ist'].includes(name) ? ['IMPORTED'] : []
        assert.deepEqual(reasons, expected, name)
      }
      const ada = people.get('ada')!
      assert.equal(ada.first_name, 'Ada')
      assert.deepEqual([ada.metadata['age'], ada.metadata['plan'], ada.metadata['name']], [42, 'pro', 'Ada Byron'])
      assert.equal(ada.metadata['createdAt'], '2023-02-10T22:07:16.199Z')
      assert.equal(people.size, source.trim().split('\n').length - 1)
    })

    it('reads subscribed, unsubscribed, cleaned and nonsubscribed contacts from Mailchimp, in any order of files', async () => {
      const files = ['subscribed', 'unsubscribed', 'cleaned', 'nonsubscribed'].map((name) => `mailchimp-${name}.csv`)
      const [people, backwards] = [
        await importAll('mailchimp', files),
        await importAll('mailchimp', files.toReversed()),
      ]
      assert.deepEqual(
        [...people].map(([name, { reasons }]) => [name, reasons]),
        [...backwards].map(([name, { reasons }]) => [name, reasons]),
      )
      const reasonOf = (name: string) => people.get(name)!.reasons
      assert.deepEqual(reasonOf('bjoern'), [])
      assert.deepEqual(reasonOf('left'), ['IMPORTED'])
      assert.deepEqual(reasonOf('byadmin'), ['MANUAL'])
      assert.deepEqual(reasonOf('gone'), ['BOUNCED'])
      assert.deepEqual(reasonOf('buyer'), ['IMPORTED'])
      const grace = people.get('grace')!
      assert.deepEqual(
        [grace.first_name, grace.tags, grace.metadata['lastName']],
        ['Grace "Amazing"', ['Customer', 'VIP'], 'Hopper, PhD'],
      )
      assert.deepEqual(people.get('ada')!.tags?.includes('Newsletter, weekly'), true)
      assert.equal(people.get('ada')!.metadata['Favourite topics'], 'Engines, Looms')
      assert.equal(people.get('ada')!.metadata['OPTIN_IP'], undefined)
      // Campaigns use it to send at a local time.
      assert.equal(people.get('ada')!.metadata['timezone'], 'europe/london')
      // The status of the contacts in a file must be given. It is not guessed.
      await assert.rejects(
        atCommandLine(join(FILES, 'mailchimp-subscribed.csv'), { format: 'mailchimp' }),
        /to SUBSCRIBED or UNSUBSCRIBED/,
      )
    })

    for (const name of ['plunk.json', 'plunk-v1.json', 'plunk.csv']) {
      it(`reads subscriptions and data from Plunk as ${name}`, async () => {
        const people = await importAll('plunk', [name])
        assert.ok(people.size >= 4)
        assert.deepEqual([people.get('grace')!.first_name, people.get('grace')!.reasons], ['Grace "Amazing"', []])
        const source = readFileSync(join(FILES, name), 'utf8')
        const out = name.endsWith('.csv')
          ? [...source.matchAll(/^([^@,]+)@[^,]+,false,/gm)].map(([, who]) => who!.toLowerCase())
          : [...source.matchAll(/"email": "([^@"]+)@[^"]+",\s*"subscribed": false/g)].map(([, who]) =>
              who!.toLowerCase(),
            )
        assert.deepEqual(
          [...people].filter(([, { reasons }]) => reasons.length > 0).map(([who]) => who),
          out.toSorted(),
        )
      })
    }
  })
})
