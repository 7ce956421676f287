import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runImport, type Wanted } from '../../src/bin/commands/run-import.ts'
import { standingOf } from '../../src/bin/commands/import.ts'
import { importFile } from '../../src/imports/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, aList, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'

const FILES = fileURLToPath(new URL('files/', import.meta.url))
const CLI = fileURLToPath(new URL('../../src/bin/cli.ts', import.meta.url))

interface ImportBody {
  id: string
  status: string
  position: number
  lines: number
  created: number
  updated: number
  suppressed: number
  failed: number
  problem: string | null
}
interface ContactBody {
  email: string
  firstName: string | null
  metadata: Record<string, unknown>
  tags: string[]
  suppressedBy: string | null
}

describe('an import', () => {
  let service: Service
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dripline-imports-'))
    service = await startService()
  })
  after(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const em = () => service.context.orm.em.fork()
  let names = 0
  /** Addresses that no other test has. */
  const domain = () => `n${(names += 1)}.example.com`
  const file = (content: string | Buffer, name = `${(names += 1)}.csv`) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const begin = async (body: object = {}): Promise<ImportBody> =>
    (await service.call('POST', 'imports', { name: 'x.csv', ...body })).body.data as ImportBody
  const bring = (id: string, position: number, text: string, isLast: boolean) =>
    service.call('POST', `imports/${id}/pieces`, { position, text, isLast })
  /** All of it, in one piece. */
  async function imported(text: string, body: object = {}): Promise<ImportBody> {
    let now = await begin(body)
    const bytes = Buffer.from(text)
    do {
      const answer = await bring(now.id, now.position, bytes.subarray(now.position).toString(), true)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      now = answer.body.data as ImportBody
    } while (now.status === 'RUNNING')
    return now
  }
  const errorsOf = async (id: string) =>
    (await service.call('GET', `imports/${id}/errors`)).body.data as { line: number; problem: string }[]
  const contact = async (email: string): Promise<ContactBody | undefined> =>
    ((await service.call('GET', `contacts?email=${encodeURIComponent(email)}`)).body.data as ContactBody[])[0]
  const database = () => service.context.config.DATABASE_URL
  const command = (path: string) =>
    spawn(process.execPath, [CLI, 'import', path, '--workspace', service.workspaceId, '--json'], {
      env: { ...process.env, DATABASE_URL: database(), LOG_LEVEL: 'silent' },
    })
  async function ended(child: ReturnType<typeof command>) {
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number]
    return { code, out }
  }
  async function atCommandLine(path: string, wanted: Partial<Wanted> = {}) {
    const before = process.env['DATABASE_URL']
    process.env['DATABASE_URL'] = database()
    try {
      const all = {
        workspace: service.workspaceId,
        format: 'csv' as const,
        as: undefined,
        tag: [],
        column: [],
        ...wanted,
        path,
      }
      return await runImport(all, { note: () => undefined, progress: () => undefined })
    } finally {
      if (before === undefined) delete process.env['DATABASE_URL']
      else process.env['DATABASE_URL'] = before
    }
  }

  it('reads columns by their names or as they are chosen, and tells rows that it cannot read by their lines', async () => {
    const at = domain()
    const text = [
      'E-Mail;First Name;Plan;Tags;Age',
      `ada@${at};Ada;pro;"vip,""early, adopter""";36`,
      'no address;;;;',
      '',
      `two@${at};"of`,
      `two lines";;;`,
      `ragged@${at};x`,
      `last@${at};Zoë;;;`,
    ].join('\r\n')
    const listId = await aList(service)
    const columns = [
      { column: 'Plan', field: 'metadata.plan' },
      { column: 'Age', field: 'nothing' },
    ]
    const done = await imported(text, { columns, listId, tags: ['imported'] })
    assert.deepEqual(
      { status: done.status, created: done.created, failed: done.failed, lines: done.lines, position: done.position },
      { status: 'DONE', created: 3, failed: 2, lines: 8, position: Buffer.byteLength(text) },
    )
    assert.deepEqual(await errorsOf(done.id), [
      { line: 3, problem: 'Invalid email address' },
      { line: 7, problem: 'It has 2 cells, and the header has 5' },
    ])
    const ada = (await contact(`ada@${at}`))!
    assert.deepEqual(
      { firstName: ada.firstName, metadata: ada.metadata, tags: ada.tags.toSorted() },
      { firstName: 'Ada', metadata: { plan: 'pro' }, tags: ['early, adopter', 'imported', 'vip'] },
    )
    assert.equal((await contact(`two@${at}`))!.firstName, 'of\r\ntwo lines')
    const members = (await service.call('GET', `lists/${listId}/contacts`)).body.data as unknown[]
    assert.equal(members.length, 3)
  })

  it('is the same in pieces of any length, cut anywhere', async () => {
    const at = domain()
    const rows = Array.from({ length: 12 }, (_, n) => `u${n}@${at},"Zoë ""${n}""${n % 3 === 0 ? '\n' : ''}, x"`)
    const text = ['\ufeffemail,first name', ...rows].join('\n')
    const bytes = Buffer.from(text)
    for (const length of [40, 61, 97]) {
      const { id } = await begin()
      let now = { position: 0, status: 'RUNNING' } as ImportBody
      for (let end = length; now.status === 'RUNNING'; end += length) {
        // Never in the middle of a character.
        while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end += 1
        const piece = bytes.subarray(now.position, end).toString()
        const answer = await bring(id, now.position, piece, end >= bytes.length)
        now = answer.body.data as ImportBody
      }
      assert.deepEqual(
        {
          status: now.status,
          rows: now.created + now.updated,
          failed: now.failed,
          lines: now.lines,
          position: now.position,
        },
        { status: 'DONE', rows: 12, failed: 0, lines: 17, position: bytes.length },
        `in pieces of ${length}`,
      )
    }
    assert.equal((await contact(`u3@${at}`))!.firstName, 'Zoë "3"\n, x')
  })

  it('takes each piece once, whoever brings it, and only the next one', async () => {
    const at = domain()
    const { id } = await begin()
    const first = `email\na@${at}\nb@${at}\n`
    const answers = await Promise.all(Array.from({ length: 5 }, () => bring(id, 0, first, false)))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409, 409, 409, 409],
    )
    assert.equal((await bring(id, 7, 'x', false)).refused, '409 import_elsewhere')
    const { position } = answers.find(({ status }) => status === 200)!.body.data as ImportBody
    const last = await bring(id, position, first.slice(position), true)
    assert.equal(last.status, 200, JSON.stringify(last.body))
    assert.equal(last.body.data.created, 2)
    assert.equal((await bring(id, first.length, '', true)).refused, '409 import_ended')
  })

  it('lifts nothing that is known, whatever a file says, and puts nobody back who has left', async () => {
    const at = domain()
    const listId = await aList(service)
    await imported(`email\nleft@${at}\nout@${at}\n`, { listId })
    await service.call('POST', 'suppressions', { email: `out@${at}`, reason: 'UNSUBSCRIBED' })
    await sql(
      em(),
      `with gone as (delete from list_members where list_id = $1 returning *)
       insert into list_opt_outs (list_id, contact_id) select list_id, contact_id from gone`,
      [listId],
    )
    await imported(`email,subscribed\nLeft@${at},true\nOUT@${at},yes\n`, { listId, as: 'SUBSCRIBED' })
    assert.equal((await contact(`out@${at}`))!.suppressedBy, 'UNSUBSCRIBED')
    assert.equal(((await service.call('GET', `lists/${listId}/contacts`)).body.data as unknown[]).length, 0)
  })

  it('has who opted out unsubscribed, whatever the order of rows and files, and ends what they wait for', async () => {
    const at = domain()
    const listId = await aList(service)
    const waiting = await aContact(service)
    const address = await addressOf(service, waiting)
    const automationId = await anAutomation(service, { steps: [wait(60), EMAIL] })
    await enroll(service, automationId, waiting)
    const text = `email,subscribed\na@${at},false\na@${at},true\n${address},no\nb@${at},\nc@${at},maybe\n`
    const done = await imported(text, { listId })
    assert.deepEqual({ suppressed: done.suppressed, failed: done.failed }, { suppressed: 2, failed: 1 })
    assert.equal((await contact(`a@${at}`))!.suppressedBy, 'IMPORTED')
    assert.equal((await contact(`b@${at}`))!.suppressedBy, null)
    await eventually('her enrollment ends', async () => {
      const [row] = await sql<{ status: string }>(em(), 'select status from enrollments where contact_id = $1', [
        waiting,
      ])
      return row!.status === 'ACTIVE' ? undefined : row
    })
  })

  it('starts nothing unless it says so, and then nothing for who opted out', async () => {
    const at = domain()
    const automationId = await anAutomation(service, { trigger: 'SIGNUP', steps: [EMAIL] })
    const enrolled = async () =>
      (
        await sql<{ email: string }>(
          em(),
          `select contact.email from enrollments join contacts contact on contact.id = contact_id where automation_id = $1 order by 1`,
          [automationId],
        )
      ).map(({ email }) => email)
    await imported(`email\nquiet@${at}\n`)
    await imported(`email,subscribed\nloud@${at},true\nout@${at},false\n`, { triggers: true })
    await eventually('she is enrolled', async () => ((await enrolled()).length > 0 ? true : undefined))
    assert.deepEqual(await enrolled(), [`loud@${at}`])
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
  })

  it('says what is wrong with a file that breaks, and where; what is before that is done', async () => {
    const at = domain()
    for (const [what, text, problem] of [
      [
        'a quote that never closes',
        `email,x\na@${at},1\nb@${at},"2\nc@${at},3\n`,
        /line 3 has a quote that never closes/,
      ],
      ['a long one', `email,x\na@${at},1\nb@${at},"${'2\n'.repeat(200_000)}`, /line 3 is longer than 131072 bytes/],
      ['a quote within', `email,x\na@${at},1\nb@${at},"2"3\nc@${at},3\n`, /line 3 has a quote that does not end/],
    ] as const) {
      const done = await imported(text)
      assert.equal(done.status, 'FAILED', what)
      assert.match(done.problem!, problem)
      assert.equal(done.created + done.updated, 1, what)
    }
    const { id } = await begin()
    const wrong = await bring(id, 0, 'name,plan\nAda,pro\n', true)
    assert.equal(wrong.refused, '400 wrong_header')
    assert.match((wrong.body as { error: string }).error, /column for addresses/)
    // The mended one goes on from there.
    assert.equal((await bring(id, 0, `email\nmended@${at}\n`, true)).body.data.status, 'DONE')
    assert.equal((await imported('')).created, 0)
  })

  it('has who opted out so also where the rest of her row cannot be read, and by any of its columns', async () => {
    const at = domain()
    const optedOut = async (email: string, text: string, body: object = {}) => {
      const done = await imported(text, body)
      assert.equal(done.suppressed, 1, text)
      await imported(`email\n${email}\n`)
      assert.equal((await contact(email))!.suppressedBy, 'IMPORTED', text)
      return done
    }
    const long = 'x'.repeat(300)
    for (const [n, text] of [
      ['a', `email,tags\na@${at},${long}\n`],
      ['b', `email,plan\nb@${at}\n`],
      ['c', `email,external id\nc@${at},${long}\n`],
    ] as const)
      assert.equal((await optedOut(`${n}@${at}`, text, { as: 'UNSUBSCRIBED' })).failed, 1)
    await optedOut(`d@${at}`, `email,unsubscribed,opted_out\nd@${at},no,yes\n`)
    await optedOut(`e@${at}`, `email,subscribed,unsubscribed\ne@${at},maybe,true\n`)
    await optedOut(`f@${at}`, `email,unsubscribed\nf@${at},true\u200b\n`)
  })

  it('fails a row for what can be stored nowhere, and only that', async () => {
    const at = domain()
    const cell = (value: string) => `"${value.replaceAll('"', '""')}"`
    const deep = `{"a":${'['.repeat(500)}${']'.repeat(500)}}`
    const rows = [
      `nul@${at},${cell('{"a":"\\u0000"}')}`,
      `half@${at},${cell('{"a":"\\ud800"}')}`,
      `deep@${at},${cell(deep)}`,
      `fine@${at},${cell('{"__proto__":1,"a":[1]}')}`,
    ]
    const done = await imported(['email,attributes,status', ...rows.map((row) => `${row},enabled`)].join('\n'), {
      format: 'listmonk',
    })
    assert.deepEqual(
      { status: done.status, created: done.created, failed: done.failed },
      { status: 'DONE', created: 1, failed: 3 },
    )
    const wide = await begin()
    const answer = await bring(wide.id, 0, `email${',x'.repeat(2_000)}\n`, true)
    assert.match((answer.body as { error: string }).error, /more than 1000 columns/)
  })

  it('writes every row of one address, some at a time', async () => {
    const at = domain()
    const { id } = await begin()
    const text = `email,tags\n${Array.from({ length: 45 }, (_, n) => `one@${at},tag${n}\n`).join('')}`
    let now = { position: 0, status: 'RUNNING' } as ImportBody
    let pieces = 0
    for (; now.status === 'RUNNING'; pieces += 1)
      now = (await bring(id, now.position, text.slice(now.position), true)).body.data as ImportBody
    assert.deepEqual({ rows: now.created + now.updated, lines: now.lines, pieces }, { rows: 45, lines: 46, pieces: 3 })
    assert.equal((await contact(`one@${at}`))!.tags.length, 45)
  })

  describe('of a file at the command line', () => {
    it('reads every encoding that spreadsheets write', async () => {
      const at = domain()
      const text = `email,first name\r\na@${at},Zoë €’Müller\r\n`
      const swap = (bytes: Buffer) => Buffer.from(bytes).swap16()
      const files: [string, Buffer][] = [
        ['utf-8', Buffer.from(text)],
        ['utf-8 with a mark', Buffer.from(`\ufeff${text}`)],
        ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
        ['utf-16be', swap(Buffer.from(`\ufeff${text}`, 'utf16le'))],
        // €, ’, ë and ü as Windows-1252 has them.
        ['windows-1252', Buffer.from(text.replace('€', '\x80').replace('’', '\x92'), 'latin1')],
      ]
      for (const [what, bytes] of files) {
        const [, local] = /^(\S+)/.exec(what)!
        const done = await atCommandLine(file(bytes), {})
        assert.equal(done.created + done.updated, 1, what)
        assert.equal((await contact(`a@${at}`))!.firstName, 'Zoë €’Müller', `${what} ${local}`)
      }
    })

    it('goes on where it was killed, and does no row twice', async function () {
      this.timeout(120_000)
      const at = domain()
      const rows = 60_000
      const path = file(
        `email,first name,plan\n${Array.from({ length: rows }, (_, n) => `u${n}@${at},U${n},free\n`).join('')}`,
      )
      const positions = async () => {
        const [row] = await sql<{ position: number; status: string; count: number }>(
          em(),
          `select position::float8 as position, status, (select count(*) from imports where workspace_id = $1 and name = $2)::int as count
           from imports where workspace_id = $1 and name = $2`,
          [service.workspaceId, path.split('/').at(-1)],
        )
        return row
      }
      let kills = 0
      for (let before = 0; kills < 2; kills += 1) {
        const child = command(path)
        const position = await eventually(
          'it comes on',
          async () => {
            const now = await positions()
            return now && (now.position > before || now.status === 'DONE') ? now.position : undefined
          },
          60_000,
        )
        before = position
        child.kill('SIGKILL')
        await once(child, 'exit')
        if ((await positions())!.status === 'DONE') break
      }
      assert.ok(kills > 0, 'it was never killed in the middle')
      const { code, out } = await ended(command(path))
      assert.equal(code, 0, out)
      const done = JSON.parse(out) as ImportBody
      assert.deepEqual(
        { created: done.created, updated: done.updated, failed: done.failed, imports: (await positions())!.count },
        { created: rows, updated: 0, failed: 0, imports: 1 },
      )
    })

    it('that is another one by now goes on nowhere: all of it is read', async () => {
      const at = domain()
      const name = `${at}.csv`
      const rows = Array.from({ length: 40_000 }, (_, n) => `u${n}@${at},0`)
      const head = 'email,unsubscribed\n'
      const path = file(head + rows.join('\n'), name)
      const options = { columns: [], listId: null, tags: [], as: null, triggers: false }
      const run = (tell?: () => void) =>
        importFile({ em: em() }, service.workspaceId, { path, format: 'csv', options }, tell)
      let pieces = 0
      await assert.rejects(
        run(() => {
          if ((pieces += 1) === 3) throw new Error('stopped')
        }),
        /stopped/,
      )
      // The same size, and the same beginning.
      rows[15_000] = `u15000@${at},1`
      file(head + rows.join('\n'), name)
      const done = await run()
      assert.deepEqual({ status: done.status, failed: done.failed }, { status: 'DONE', failed: 0 })
      assert.equal((await contact(`u15000@${at}`))?.suppressedBy, 'IMPORTED')
    })

    it('that was killed when all was done, and before that was told, does none of it again', async () => {
      const at = domain()
      const path = file(`email,first name\na@${at},Ada\nb@${at},Bo\nc\0@${at},x\n`)
      const options = { columns: [], listId: null, tags: [], as: null, triggers: false }
      const done = await importFile({ em: service.context.orm.em }, service.workspaceId, {
        path,
        format: 'csv',
        options,
      })
      assert.deepEqual({ created: done.created, failed: done.failed }, { created: 2, failed: 1 })
      const { id } = (await contact(`b@${at}`)) as unknown as { id: string }
      await service.call('DELETE', `contacts/${id}`)
      const again = await atCommandLine(path)
      assert.equal(again.id, done.id)
      assert.equal(await contact(`b@${at}`), undefined)
      // Told, the same file is another import.
      assert.notEqual((await atCommandLine(path)).id, done.id)
    })

    it('of which nothing can be read leaves nothing behind', async () => {
      const before = (await service.call('GET', 'imports?limit=1')).body as { pagination: { total: number } }
      await assert.rejects(atCommandLine(file('name\nAda\n')), /no column for addresses/)
      await assert.rejects(atCommandLine(folder), /is no file/)
      const after = (await service.call('GET', 'imports?limit=1')).body as { pagination: { total: number } }
      assert.equal(after.pagination.total, before.pagination.total)
    })

    it('tells rows that fail in a file beside it, and ends with 1, so that a script knows', async () => {
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

    it('keeps its memory with a large file, and stops at a quote that never closes', async function () {
      this.timeout(120_000)
      const at = domain()
      const path = file(`email,note\na@${at},fine\nb@${at},"${'never '.repeat(8_000_000)}`)
      const before = process.memoryUsage().rss
      const done = await importFile({ em: service.context.orm.em }, service.workspaceId, {
        path,
        format: 'csv',
        options: { columns: [], listId: null, tags: [], as: null, triggers: false },
      })
      assert.equal(done.status, 'FAILED')
      assert.equal(done.created, 1)
      const grown = (process.memoryUsage().rss - before) / 1024 / 1024
      assert.ok(grown < 150, `it grew by ${Math.round(grown)} MB`)
    })
  })

  describe('of another service’s export', () => {
    /** All contacts of a new workspace, by address, as an import has made them. */
    async function whole(format: Wanted['format'], files: readonly string[], as: Record<string, Wanted['as']> = {}) {
      const [row] = await sql<{ id: string }>(
        em(),
        `insert into workspaces (id, name, mode) values (gen_random_uuid(), 'Import', 'live') returning id`,
      )
      const workspace = row!.id
      for (const name of files) {
        const done = await atCommandLine(join(FILES, name), {
          workspace,
          format,
          as: as[name] ?? standingOf(format, name.replace(/^mailchimp-/, '')),
          errors: join(folder, 'errors.csv'),
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

    it('listmonk’s: names, attributes, and who is blocklisted; and who has left a list, by the file of those', async () => {
      const people = await whole('listmonk', ['listmonk.csv', 'listmonk-list-unsubscribed.csv'], {
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

    it('Mailchimp’s: who is subscribed, who has left, who is gone and who never agreed, in any order of files', async () => {
      const files = ['subscribed', 'unsubscribed', 'cleaned', 'nonsubscribed'].map((name) => `mailchimp-${name}.csv`)
      const [people, backwards] = [await whole('mailchimp', files), await whole('mailchimp', files.toReversed())]
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
      // By which campaigns go at a local time.
      assert.equal(people.get('ada')!.metadata['timezone'], 'europe/london')
      // A file that nobody says the standing of is not guessed at.
      await assert.rejects(
        atCommandLine(join(FILES, 'mailchimp-subscribed.csv'), { format: 'mailchimp' }),
        /say as SUBSCRIBED/,
      )
    })

    for (const name of ['plunk.json', 'plunk-v1.json', 'plunk.csv']) {
      it(`Plunk’s, as ${name}: who is subscribed, and their data`, async () => {
        const people = await whole('plunk', [name])
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

  it('of cells that are nothing but brackets is read at once', async () => {
    const { id } = await begin()
    const before = performance.now()
    const rows = Array.from({ length: 5 }, (_, n) => `x${n}@${domain()},${'('.repeat(120_000)}`)
    const answer = await bring(id, 0, `email,x\n${rows.join('\n')}\n`, true)
    assert.equal(answer.status, 200)
    // Ten seconds each, where each bracket was looked for to the end.
    assert.ok(performance.now() - before < 8_000)
  })

  it('of another service, which does not say who has opted out, mails nobody by a guess', async () => {
    const of = async (format: string, header: string, cells: string) => {
      const { id } = await begin({ format })
      const answer = await bring(id, 0, `${header}\nx@${domain()},${cells}\n`, true)
      if (answer.status !== 200) return answer.refused
      const { suppressed, failed } = (answer.body as { data: { suppressed: number; failed: number } }).data
      return { suppressed, failed }
    }
    const later = String(Date.now() + 86_400_000)
    for (const [format, header, cells, expected] of [
      ['listmonk', 'email,name', 'X', '400 wrong_header'],
      ['listmonk', 'email,status', '', { suppressed: 0, failed: 1 }],
      ['listmonk', 'email,status', 'paused', { suppressed: 0, failed: 1 }],
      ['listmonk', 'email,status', 'Unsubscribed', { suppressed: 1, failed: 0 }],
      ['listmonk', 'email,status', 'enabled', { suppressed: 0, failed: 0 }],
      ['plunk', 'email,id', '1', '400 wrong_header'],
      ['plunk', 'email,subscribed', '', { suppressed: 0, failed: 1 }],
      ['plunk', 'email,subscribed,snoozedUntil', `true,${later}`, { suppressed: 1, failed: 0 }],
    ] as const)
      assert.deepEqual(await of(format, header, cells), expected, `${format}: ${header}: ${cells}`)
  })

  it('of a file that says in its own words who has opted out takes that for no data', async () => {
    const run = async (text: string, columns: { column: string; field: string }[] = []) => {
      const options = { columns, listId: null, tags: [], as: null, triggers: false }
      const done = await importFile({ em: em() }, service.workspaceId, { path: file(text), format: 'csv', options })
      const { suppressed, failed, problem } = done
      return { suppressed, failed, problem }
    }
    const nothing = { suppressed: 0, failed: 0, problem: null }
    for (const [column, out, not] of [
      ['unsubscribed_at', '2024-05-06T07:08:09Z', ''],
      ['\u200bunsubscribed', 'yes', 'no'],
      ['opt_in', 'no', '2024-05-06'],
      ['Opt Out', 'opted out', ''],
      ['subscribed', 'cleaned', 'active'],
      ['unsubscribedAt', '2024-05-06', ''],
      ['Opted-Out?', 'Unsubscribed (2024)', ''],
      ['is_subscribed', 'false', 'true'],
      ['Has Opted Out of Email', '1', '0'],
      ['Unsubscribed On', '6.5.2024', ''],
      ['subscribed', 'Unsubscribed (by link)', 'yes'],
      ['Opted out (Y/N)', 'Y', 'N'],
      ['Opted out?', 'ja', 'nein'],
      ['subscribed', 'Non', 'oui'],
    ] as const) {
      const at = domain()
      const text = `email,${column}\nout@${at},${out}\nnot@${at},${not}\n`
      assert.deepEqual(await run(text), { ...nothing, suppressed: 1 }, column)
      assert.equal((await service.call('GET', `contacts/email:not@${at}`)).body.data.suppressedBy, null)
    }
    // What is no day is no word, and what can be said of either fails its row: nobody is mailed by a guess.
    for (const [column, cell, failed, suppressed = 0] of [
      ['unsubscribed_at', '0000-00-00 00:00:00', 0],
      ['unsubscribed_at', 'NULL', 0],
      ['opt_out', 'active', 1],
      ['opt_in', '', 1],
      ['opt_in', 'NULL', 1],
      ['subscribed', 'never', 1],
      ['subscribed', '', 0],
      ['unsubscribed', 'perhaps', 1],
      ['State', 'optout', 1],
      ['subscribed', 'confirmed (no)', 1],
      ['State', 'Hard bounce', 1],
      // In columns that it does not know, as shops and CRMs have them.
      ['Unsubscribed from all email', 'true', 1],
      ['Unsubscribed from all email', 'false', 0],
      ['Accepts Email Marketing', 'no', 1],
      ['Accepts Email Marketing', 'yes', 0],
      ['Do Not Email', '1', 1],
      ['Do Not Email', '0', 0],
      ['Email opted out', 'yes', 1],
      ['EMAIL_BLACKLISTED', 'true', 1],
      ['Date unsubscribed', '2024-05-06', 1],
      ['Date unsubscribed', '', 0],
      ['Unsubscribe link', 'https://example.com/x', 0],
      ['UnsubscribeReason', 'too many', 1],
      ['Bounces', '3', 1],
      ['Bounces', '0', 0],
      ['Email Marketing Consent', 'NEVER_SUBSCRIBED', 1],
      ['Email Marketing Consent', 'SUBSCRIBED', 0],
      ['Newsletter', 'no', 1],
      ['Abgemeldet', 'ja', 1],
      ['CLEAN_TIME', '2024-05-06 07:08:09', 1],
      ['accepts_marketing', 'f', 1],
      ['accepts_marketing', 't', 0],
      ['marketing_consent', 'withdrawn', 1],
      ['marketing_consent', '2024-05-06', 0],
      ['optin_ip', '192.0.2.1', 0],
      ['subscription', 'cancelled', 1],
      ['subscription', 'pro', 0],
      ['Status', 'pending', 1],
      ['Email Status', 'Bounced - Hard', 1],
      ['Receive emails', 'false', 1],
      ['Do not market', 'yes', 1],
      ['List status', 'removed', 1],
      ['De\u0301sabonne\u0301', 'oui', 1],
      ['Company', 'Bouncy castles', 0],
      ['unsubscribed', 'unsubscribed: no', 1],
      ['Opt out', 'Opted out - false', 1],
      ['Notes', 'Unsubscribed 2024-01-10', 1],
      ['Notes', 'Unsubscribed by Bruno', 1],
      ['Mailing Street', 'Main St 1', 0],
      ['Marketing channel', 'Ads', 0],
      ['Consent date', '01 Jan 2024', 0],
      ['Bounce rate', '5%', 0],
      ['Subscription plan', 'none', 0],
      ['Mailing list', 'no', 1],
      ['Status', 'Unsubscribed by admin', 1],
      ['Status', 'Not subscribed', 1],
      ['Status', 'Inactive', 1],
      ['Status', 'gold', 0],
      ['Email status', 'Suppressed', 1],
      ['Status', 'Marked as spam', 1],
      ['Status', '2', 1],
      ['Status', '1', 0],
      ['Email status', 'No consent', 1],
      ['Email status', 'Awaiting confirmation', 1],
      ['Status', 'Undeliverable', 1],
      ['Status', 'gesperrt', 1],
      ['Notes', 'Uitgeschreven', 1],
      ['Estado', 'Baja', 1],
      ['Stato', 'Disiscritto', 1],
      ['Estado', 'Baja California', 0],
      ['State', 'Nottinghamshire', 0],
      ['status', 'Not interested', 1],
      ['status', 'Never contact', 1],
      ['status', 'NOT_SIGNED_UP', 1],
      ['status', 'NotAllowed', 1],
      ['status', 'nonmember', 1],
      ['status', 'Non\u2011subscriber', 1],
      ['State', 'Nevers', 0],
      ['State', 'NE', 0],
      ['Status', 'Not registered', 1],
      ['Status', 'NOT_REACHABLE', 1],
      ['Status', 'ne plus contacter', 1],
      [`I agree to receive ${'more and '.repeat(10)} the newsletter, and can unsubscribe at any time`, 'No', 1],
      [`I have read the terms of ${'Example Limited, '.repeat(20)} and agree to receive the newsletter`, 'No', 1],
      ['Statut', 'Non abonné', 1],
      ['Stato', 'Non iscritto', 1],
      ['Estado', 'Dado de baja', 1],
      ['Subscription months', '3', 0],
      ['Subscribers', '5', 0],
      ['Undelivered orders', '2', 0],
      ['Price excluding VAT', '12.50', 0],
      ['Confirmed bookings', '3', 0],
      ['Disabled access', 'yes', 0],
      ['Junk removal', 'yes', 0],
      ['Werbesperre', 'ja', 1],
      ['Kein Mailing', 'ja', 1],
      ['Kein Mailing', 'nein', 0],
      ['Contactable', 'No', 1],
      ['Stop mail', '1', 1],
      ['email_disabled', 'true', 1],
      ['email_disabled', 'false', 0],
      ['IsExcludedFromCampaigns', 'true', 1],
      ['confirmed', '0', 1],
      ['confirmed', '1', 0],
      ['subscribed', 'Unsubscribed - via link', 0, 1],
    ] as const)
      assert.deepEqual(
        await run(`email,${column}\nx@${domain()},${cell}\n`),
        { ...nothing, failed, suppressed },
        `${column}: ${cell}`,
      )
    const [at, other] = [domain(), domain()]
    const status = (domain: string) => `email,status\nout@${domain},Unsubscribed\nnot@${domain},gold\n`
    assert.deepEqual(await run(status(at)), { ...nothing, failed: 1 })
    assert.equal((await service.call('GET', `contacts/email:out@${at}`)).status, 404)
    assert.deepEqual(await run(status(other), [{ column: 'status', field: 'metadata.status' }]), nothing)
    const header = 'Email Address,First Name,MEMBER_RATING,LEID,EUID,UNSUB_TIME'
    await assert.rejects(run(`${header}\nx@${at},X,2,1,abc,2024-05-06 07:08:09\n`), /--format mailchimp/)
    await assert.rejects(run(`email,E-Mail\nx@${at},y@${at}\n`), /two columns for addresses/)
    const old = domain()
    assert.deepEqual(await run(`Email (old),Email\nold@${old},new@${old}\n`), nothing)
    assert.equal((await service.call('GET', `contacts/email:new@${old}`)).status, 200)
    // Nobody is told in errors, which outlive an erasure.
    const told = await imported(`email,unsubscribed\nx@${at},ada@${other}\n`, {})
    const errors = await service.call('GET', `imports/${told.id}/errors`)
    assert.match(JSON.stringify(errors.body), /must say yes or no/)
    assert.doesNotMatch(JSON.stringify(errors.body), new RegExp(other))
    await assert.rejects(run(`uuid,email,name,attributes,status\n1,x@${at},X,{},blocklisted\n`), /--format listmonk/)
  })

  it('takes no row of an address for a word that it may be mailed, where another one may say that it may not', async () => {
    for (const rows of [
      ['Zoe,2024-03-01', 'Zoe B,'],
      // The date is where it is not looked for.
      ['Zoe,,2024-03-01', 'Zoe B,'],
      ['Zoe,', 'Zoe B,2024-03-01'],
    ]) {
      const at = domain()
      const text = `email,first name,Abgemeldet am\n${rows.map((row) => `zoe@${at},${row}`).join('\n')}\nbo@${at},Bo,\n`
      const done = await imported(text)
      assert.deepEqual({ created: done.created, failed: done.failed }, { created: 1, failed: 2 })
      assert.equal(await contact(`zoe@${at}`), undefined)
      assert.deepEqual(
        (await errorsOf(done.id)).map(({ line }) => line),
        [2, 3],
      )
    }
  })

  it('keeps nobody waiting, whatever stands in a cell or above it', async () => {
    const at = domain()
    const rows = Array.from({ length: 4_000 }, (_, n) => `a${n}@${at},maybe`)
    const quotes = "'".repeat(120_000)
    for (const text of [`email\nx${quotes}x\n`, `email,"${'unsu'.repeat(25_000)}"\n${rows.join('\n')}\n`]) {
      const taken: number[] = []
      const done = imported(text)
      let isDone = false
      void done.finally(() => (isDone = true))
      while (!isDone) {
        const began = performance.now()
        await fetch(`http://127.0.0.1:${service.port}/healthz`)
        taken.push(performance.now() - began)
      }
      assert.equal((await done).status, 'DONE')
      assert.ok(Math.max(...taken) < 5_000, `others waited ${Math.max(...taken)} ms`)
    }
  })

  it('reads an address through what spreadsheets and mail programs put around it', async () => {
    const at = domain()
    const ways = ['\u200bx0', '\u202ax1', 'x2\u00ad', '<x3', 'Ada <x4', 'mailto:x5', "'x6", '"Ada, L" <x7']
    const cells = ways.map((way) => (way.includes('<') ? `${way}@${at}>` : `${way}@${at}`))
    const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}",yes`)
    const done = await imported(`email,unsubscribed\n${quoted.join('\n')}\n`)
    assert.deepEqual({ failed: done.failed, suppressed: done.suppressed }, { failed: 0, suppressed: ways.length })
    for (const n of ways.keys()) assert.equal((await contact(`x${n}@${at}`))?.suppressedBy, 'IMPORTED', ways[n])
  })

  it('puts nobody into a list, and asks nobody, who wants no mail, or has left it', async () => {
    const asking = await aList(service)
    const asks = { ...EMAIL, category: 'transactional', text: '{{ confirmUrl }}' }
    await anAutomation(service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId: asking }, steps: [asks] })
    assert.equal((await service.call('PATCH', `lists/${asking}`, { doubleOptIn: true })).status, 200)
    const at = domain()
    const out = await aContact(service, { email: `out@${at}` })
    const left = await aContact(service, { email: `left@${at}` })
    await service.call('POST', 'suppressions', { email: `out@${at}`, reason: 'UNSUBSCRIBED' })
    await sql(em(), 'insert into list_opt_outs (list_id, contact_id) values ($1, $2)', [asking, left])
    const many = Array.from({ length: 150 }, (_, n) => `filler-${n}@${at},`)
    // Her second row is in another piece than the first.
    const rows = [`late@${at},yes`, `out@${at},`, `left@${at},`, ...many, `late@${at},`]
    for (const listId of [asking, await aList(service)]) {
      const path = file(`email,unsubscribed\n${rows.join('\n')}\n`)
      const options = { columns: [], listId, triggers: listId === asking, confirmed: false, tags: [], as: null }
      await importFile({ em: em() }, service.workspaceId, { path, format: 'csv', options })
      const late = (await service.call('GET', `contacts/email:late@${at}`)).body.data as {
        id: string
        listIds: string[]
      }
      assert.deepEqual(late.listIds, [])
      const pending = await sql(em(), 'select from list_requests where contact_id = any($1::uuid[])', [
        [out, left, late.id],
      ])
      assert.equal(pending.length, 0)
    }
  })

  it('puts nobody into a list who wants no mail by a later row', async () => {
    const at = domain()
    const listId = await aList(service)
    const rows = `email,unsubscribed\na@${at},false\nb@${at},false\nA@${at},true\n`
    const done = await imported(rows, { listId })
    assert.equal(done.suppressed, 1, JSON.stringify(done))
    const members = (await service.call('GET', `lists/${listId}/contacts`)).body.data as { email: string }[]
    assert.deepEqual(
      members.map(({ email }) => email),
      [`b@${at}`],
    )
  })

  it('goes over empty lines, however many', async () => {
    const at = domain()
    const path = file(`email\na@${at}\n${'\r\n'.repeat(600_000)}b@${at}\nno address\n`)
    const options = { columns: [], listId: null, tags: [], as: null, triggers: false }
    const done = await importFile({ em: em() }, service.workspaceId, { path, format: 'csv', options })
    assert.deepEqual([done.status, done.created, done.failed], ['DONE', 2, 1])
    assert.equal((await errorsOf(done.id))[0]?.line, 600_004)
    const empty = await begin()
    const answer = await bring(empty.id, 0, `email\na@${at}\n`, false)
    const behind = await bring(empty.id, (answer.body.data as ImportBody).position, '\n\n\n', false)
    assert.equal((behind.body.data as ImportBody).position, (answer.body.data as ImportBody).position + 3)
  })

  it('is one, where two begin the same file at the same moment', async () => {
    const at = domain()
    const path = file(`email\n${Array.from({ length: 300 }, (_, n) => `c${n}@${at}\n`).join('')}`)
    const options = { columns: [], listId: null, tags: [], as: null, triggers: false }
    const begin = () => importFile({ em: em() }, service.workspaceId, { path, format: 'csv', options })
    const both = await Promise.allSettled([begin(), begin()])
    const done = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    assert.ok(done.length > 0)
    assert.equal(new Set(done.map(({ id }) => id)).size, 1)
    assert.deepEqual([done[0]!.created, done[0]!.updated], [300, 0])
  })
})
