import assert from 'node:assert/strict'
import { importFile } from '../../src/imports/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, aList, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { type ImportBody, importing, options, UNSUBSCRIBED } from './importing.ts'

describe('an import', () => {
  const { service, em, domain, file, begin, sendChunk, run, imported, errorsOf, contact } = importing()

  it('reads columns by name or as mapped, and reports failed rows with their line', async () => {
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
    const listId = await aList(service())
    const columns = [
      { column: 'Plan', field: 'metadata.plan' },
      { column: 'Age', field: 'nothing' },
      { column: 'Tags', field: 'tags' },
    ]
    const done = await imported(text, { columns, listId, tags: ['imported'] })
    assert.deepEqual(
      { status: done.status, created: done.created, failed: done.failed, lines: done.lines, imported: done.imported },
      { status: 'DONE', created: 3, failed: 2, lines: 8, imported: Buffer.byteLength(text) },
    )
    assert.deepEqual(await errorsOf(done.id), [
      { line: 3, problem: 'Invalid email address', cells: ['no address', '', '', '', ''] },
      { line: 7, problem: 'The row has 2 cells, but the header has 5', cells: [`ragged@${at}`, 'x'] },
    ])
    const ada = (await contact(`ada@${at}`))!
    assert.deepEqual(
      { firstName: ada.firstName, metadata: ada.metadata, tags: ada.tags.toSorted() },
      { firstName: 'Ada', metadata: { plan: 'pro' }, tags: ['early, adopter', 'imported', 'vip'] },
    )
    assert.equal((await contact(`two@${at}`))!.firstName, 'of\r\ntwo lines')
    const members = (await service().call('GET', `lists/${listId}/contacts`)).body.data as unknown[]
    assert.equal(members.length, 3)
  })

  it('has the same result for chunks of any length', async () => {
    const at = domain()
    const rows = Array.from({ length: 12 }, (_, n) => `u${n}@${at},"Zoë ""${n}""${n % 3 === 0 ? '\n' : ''}, x"`)
    const text = ['\ufeffemail,first name', ...rows].join('\n')
    const bytes = Buffer.from(text)
    for (const length of [40, 61, 97]) {
      const { id } = await begin()
      let draft = { position: 0, status: 'UPLOADING' } as ImportBody
      for (let end = length; draft.status === 'UPLOADING'; end += length) {
        // Never cut within a character.
        while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end += 1
        const chunk = bytes.subarray(draft.position, end).toString()
        const answer = await sendChunk(id, draft.position, chunk, end >= bytes.length)
        draft = answer.body.data as ImportBody
      }
      const now = await run(id)
      assert.deepEqual(
        {
          status: now.status,
          rows: now.created + now.updated,
          failed: now.failed,
          lines: now.lines,
          imported: now.imported,
        },
        { status: 'DONE', rows: 12, failed: 0, lines: 17, imported: bytes.length },
        `in pieces of ${length}`,
      )
    }
    assert.equal((await contact(`u3@${at}`))!.firstName, 'Zoë "3"\n, x')
  })

  it('stores each chunk once under concurrent requests, and rejects any chunk other than the next one', async () => {
    const at = domain()
    const { id } = await begin()
    const first = `email\na@${at}\nb@${at}\n`
    const answers = await Promise.all(Array.from({ length: 5 }, () => sendChunk(id, 0, first, false)))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409, 409, 409, 409],
    )
    assert.equal((await sendChunk(id, 7, 'x', false)).refused, '409 import_position_mismatch')
    const { position } = answers.find(({ status }) => status === 200)!.body.data as ImportBody
    const last = await sendChunk(id, position, first.slice(position), true)
    assert.equal(last.status, 200, JSON.stringify(last.body))
    assert.equal((await sendChunk(id, first.length, '', true)).refused, '409 import_uploaded')
    assert.equal((await run(id)).created, 2)
  })

  it('never deletes suppressions or opt-outs, regardless of the file’s content', async () => {
    const at = domain()
    const listId = await aList(service())
    await imported(`email\nleft@${at}\nout@${at}\n`, { listId })
    await service().call('POST', 'suppressions', { email: `out@${at}`, reason: 'UNSUBSCRIBED' })
    await sql(
      em(),
      `with gone as (delete from list_members where list_id = $1 returning *)
       insert into list_opt_outs (list_id, contact_id) select list_id, contact_id from gone`,
      [listId],
    )
    await imported(`email\nLeft@${at}\nOUT@${at}\n`, { listId, consent: 'SUBSCRIBED' })
    assert.equal((await contact(`out@${at}`))!.suppressedBy, 'UNSUBSCRIBED')
    assert.equal(((await service().call('GET', `lists/${listId}/contacts`)).body.data as unknown[]).length, 0)
  })

  it('suppresses opted-out contacts in any order of rows and files, and ends enrollments with the exit rule', async () => {
    const at = domain()
    const listId = await aList(service())
    const waiting = await aContact(service())
    const address = await addressOf(service(), waiting)
    const automationId = await anAutomation(service(), {
      steps: [wait(60), EMAIL],
      exitOn: [{ event: 'unsubscribed' }],
    })
    await enroll(service(), automationId, waiting)
    const text = `email,subscribed\na@${at},false\na@${at},true\n${address},no\nb@${at},TRUE\nc@${at},maybe\n`
    const columns = [{ column: 'subscribed', field: 'consent', yes: ['true'] }]
    const done = await imported(text, { listId, columns })
    assert.deepEqual({ suppressed: done.suppressed, failed: done.failed }, { suppressed: 3, failed: 0 })
    assert.equal((await contact(`c@${at}`))!.suppressedBy, 'IMPORTED')
    assert.equal((await contact(`a@${at}`))!.suppressedBy, 'IMPORTED')
    assert.equal((await contact(`b@${at}`))!.suppressedBy, null)
    await eventually('the enrollment ends', async () => {
      const [row] = await sql<{ status: string }>(em(), 'select status from enrollments where contact_id = $1', [
        waiting,
      ])
      return row!.status === 'ACTIVE' ? undefined : row
    })
  })

  it('starts automations only on request, and never for contacts who opted out', async () => {
    const at = domain()
    const automationId = await anAutomation(service(), { trigger: 'SIGNUP', steps: [EMAIL] })
    const enrolled = async () =>
      (
        await sql<{ email: string }>(
          em(),
          `select contact.email from enrollments join contacts contact on contact.id = contact_id where automation_id = $1 order by 1`,
          [automationId],
        )
      ).map(({ email }) => email)
    await imported(`email\nquiet@${at}\n`)
    const columns = [{ column: 'subscribed', field: 'consent', yes: ['true'] }]
    await imported(`email,subscribed\nloud@${at},true\nout@${at},false\n`, { triggers: true, columns })
    await eventually('the contact is enrolled', async () => ((await enrolled()).length > 0 ? true : undefined))
    assert.deepEqual(await enrolled(), [`loud@${at}`])
    await service().call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
  })

  it('fails only the row whose quote is not closed', async () => {
    for (const [what, text, lines] of [
      ['one', 'a@AT,1\nb@AT,"2\nc@AT,3\nd@AT,4\n', [3]],
      ['two, after empty lines', 'a@AT,1\n\n\nb@AT,"2\nc@AT,3\n\ne@AT,"5\nd@AT,4\n', [5, 8]],
      ['in the first cell', '"b@AT,2\na@AT,1\nc@AT,3\nd@AT,4\n', [2]],
      ['text after it', 'a@AT,1\nb@AT,"2"3\nc@AT,3\nd@AT,4\n', [3]],
      ['in the last row', 'a@AT,1\nc@AT,3\nd@AT,4\nb@AT,"2', [5]],
    ] as const) {
      const at = domain()
      const columns = [{ column: 'x', field: 'metadata.x' }]
      const done = await imported(`email,x\n${text.replaceAll('AT', at)}`, { columns })
      assert.deepEqual([done.status, done.created, done.failed], ['DONE', 3, lines.length], what)
      const { data } = (await service().call('GET', `imports/${done.id}/errors`)).body
      const problem =
        'The row has a quote that is not closed, or text after a closing quote. Double the quotes that are text'
      assert.deepEqual(
        data.map((error: { line: number; problem: string }) => [error.line, error.problem]),
        lines.map((line) => [line, problem]),
        what,
      )
    }
  })

  it('reads quotes that are text, and spaces around quoted cells', async () => {
    const at = domain()
    const rows = ['a@AT,5" screen', 'b@AT,say "hi"', 'c@AT, "quoted" ', 'd@AT,"a ""b"" c"', 'e@AT,"two\nlines"']
    const text = `email,x\n${rows.join('\n').replaceAll('AT', at)}\n`
    assert.equal((await imported(text, { columns: [{ column: 'x', field: 'metadata.x' }] })).failed, 0)
    const values = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) values.push((await contact(`${name}@${at}`))!.metadata['x'])
    assert.deepEqual(values, ['5" screen', 'say "hi"', 'quoted', 'a "b" c', 'two\nlines'])
  })

  it('rejects a file whose header cannot be read, before anything is imported', async () => {
    for (const [text, problem] of [
      ['', /is empty/],
      ['[{"email":"a@example.com"}]', /is JSON/],
      [`email${',x'.repeat(2_000)}\n`, /more than 1000 columns/],
      ['email,"name\na@example.com,Ada\n', /^The header has a quote that is not closed/],
    ] as const) {
      const { id } = await begin()
      const answer = await sendChunk(id, 0, text, true)
      assert.equal(answer.refused, '400 wrong_header')
      assert.match((answer.body as { error: string }).error, problem)
      // The corrected file can be uploaded to the same import.
      assert.equal((await sendChunk(id, 0, `email\nmended@${domain()}\n`, true)).body.data.status, 'DRAFT')
    }
  })

  it('applies an opt-out even if the rest of the row is invalid, from any of its columns', async () => {
    const at = domain()
    const optedOut = async (email: string, text: string, body: object = {}) => {
      const done = await imported(text, body)
      assert.equal(done.suppressed, 1, text)
      await imported(`email\n${email}\n`)
      assert.equal((await contact(email))!.suppressedBy, 'IMPORTED', text)
      return done
    }
    const long = 'x'.repeat(300)
    const columns = ['tags', 'plan'].map((column) => ({
      column,
      field: column === 'tags' ? column : `metadata.${column}`,
    }))
    for (const [n, text, of] of [
      ['a', `email,tags\na@${at},${long}\n`, columns.slice(0, 1)],
      ['b', `email,plan\nb@${at}\n`, columns.slice(1)],
      ['c', `email,external id\nc@${at},${long}\n`, []],
    ] as const)
      assert.equal((await optedOut(`${n}@${at}`, text, { consent: 'UNSUBSCRIBED', columns: of })).failed, 1)
    const optedOutToo = { column: 'opted_out', field: 'consent', yes: ['no'] }
    await optedOut(`d@${at}`, `email,unsubscribed,opted_out\nd@${at},no,yes\n`, {
      columns: [UNSUBSCRIBED, optedOutToo],
    })
    await optedOut(`f@${at}`, `email,unsubscribed\nf@${at},true\u200b\n`, { columns: [UNSUBSCRIBED] })
  })

  it('rejects only rows with values that cannot be stored', async () => {
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
      preset: 'listmonk',
    })
    assert.deepEqual(
      { status: done.status, created: done.created, failed: done.failed },
      { status: 'DONE', created: 1, failed: 3 },
    )
  })

  it('runs once if two processes start the same file concurrently', async () => {
    const at = domain()
    const path = file(`email\n${Array.from({ length: 300 }, (_, n) => `c${n}@${at}\n`).join('')}`)
    const begin = () => importFile({ em: em() }, service().workspaceId, { path, options: options() })
    const both = await Promise.allSettled([begin(), begin()])
    const done = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    assert.ok(done.length > 0)
    assert.equal(new Set(done.map(({ id }) => id)).size, 1)
    assert.deepEqual([done[0]!.created, done[0]!.updated], [300, 0])
  })
})
