import assert from 'node:assert/strict'
import { deleteOldFiles, startImport } from '../../src/imports/index.ts'
import { sql, unitOf } from '../../src/platform/db/sql.ts'
import { importing } from './importing.ts'

interface Mapping {
  detectedPreset: string | null
  consent: string | null
  isComplete: boolean
  missing: string[]
  columns: {
    column: string
    decision: object | null
    decidedBy: string | null
    guess: { field: string; type?: string; format?: string } | null
    mayBeConsent: boolean
    samples: string[]
    filled: number
    values: string[] | null
    dateFormats: string[]
  }[]
}

describe('the mapping of an import', () => {
  const { service, em, domain, begin, sendChunk, draft, get, run, imported, errorsOf, contact } = importing()
  const mapping = async (id: string) => (await service().call('GET', `imports/${id}/mapping`)).body.data as Mapping
  const put = (id: string, body: object) => service().call('PUT', `imports/${id}/mapping`, body)
  const start = (id: string) => service().call('POST', `imports/${id}/start`)

  it('asks for every column and for the consent before the first row is imported', async () => {
    const at = domain()
    const text = `E-Mail,Vorname,Stadt,Sperre\nada@${at},Ada,Köln,\nbob@${at},Bob,Ulm,x\n`
    const { id } = await draft(text, { consent: null })
    const refused = await start(id)
    assert.equal(refused.refused, '400 mapping_incomplete')
    assert.match((refused.body as { error: string }).error, /"Stadt", "Sperre".*State the consent/)
    await put(id, { columns: [{ column: 'Stadt', field: 'metadata.city' }], consent: 'SUBSCRIBED' })
    assert.equal((await start(id)).refused, '400 mapping_incomplete')
    const consent = { column: 'Sperre', field: 'consent', yes: [''] }
    const complete = await put(id, { columns: [{ column: 'Stadt', field: 'metadata.city' }, consent] })
    assert.partialDeepStrictEqual(complete.body.data, { isComplete: true, missing: [], consent: 'COLUMNS' })
    assert.equal(await contact(`ada@${at}`), undefined)
    assert.partialDeepStrictEqual(await run(id), { status: 'DONE', created: 2, suppressed: 1 })
    assert.partialDeepStrictEqual(await contact(`ada@${at}`), { firstName: 'Ada', metadata: { city: 'Köln' } })
    assert.equal((await contact(`bob@${at}`))!.suppressedBy, 'IMPORTED')
    assert.equal((await start(id)).refused, '409 import_started')
    assert.equal((await put(id, {})).refused, '409 import_started')
  })

  it('asks for the values of consent that mean yes, without which every contact would be suppressed', async () => {
    const at = domain()
    const { id } = await draft(`email,newsletter\nada@${at},yes\n`, { consent: null })
    await put(id, { columns: [{ column: 'newsletter', field: 'consent', yes: [] }] })
    const refused = await start(id)
    assert.equal(refused.refused, '400 mapping_incomplete')
    assert.match((refused.body as { error: string }).error, /values that mean yes: "newsletter"/)
    await put(id, { columns: [{ column: 'newsletter', field: 'consent', yes: ['yes'] }] })
    assert.partialDeepStrictEqual(await run(id), { created: 1, suppressed: 0 })
  })

  it('asks for each column of a repeated title, and rejects two decisions for one column', async () => {
    const at = domain()
    const { id } = await draft(`Email,Email\nada@${at},yes\nbob@${at},no\n`)
    const refused = await start(id)
    assert.equal(refused.refused, '400 mapping_incomplete')
    assert.match((refused.body as { error: string }).error, /"Email \(2\)"/)
    const consent = { column: 'Email (2)', field: 'consent', yes: ['yes'] }
    const twice = await put(id, { columns: [consent, { column: 'Email (2)', field: 'nothing' }] })
    assert.equal(twice.refused, '400 wrong_mapping')
    await put(id, { columns: [consent] })
    assert.partialDeepStrictEqual(await run(id), { created: 2, suppressed: 1 })
    assert.equal((await contact(`bob@${at}`))!.suppressedBy, 'IMPORTED')
  })

  it('asks for the consent of a file of which the columns hold only some opt-outs', async () => {
    const at = domain()
    const status = 'Marketing contact'
    const text = `Record ID,Email,Marketing contact status,Email hard bounce reason\n1,ada@${at},${status},\n2,bob@${at},${status},UNKNOWN_USER\n`
    const { id } = await draft(text, { preset: 'hubspot' })
    assert.equal((await start(id)).refused, '400 mapping_incomplete')
    await put(id, { preset: 'hubspot', consent: 'SUBSCRIBED' })
    assert.partialDeepStrictEqual(await run(id), { created: 2, suppressed: 1 })
    assert.equal((await contact(`ada@${at}`))!.suppressedBy, null)
    assert.equal((await contact(`bob@${at}`))!.suppressedBy, 'BOUNCED')
  })

  it('blocks the blocked addresses of a file whose contacts all opted out', async () => {
    const at = domain()
    const text = `email,status\nada@${at},enabled\nbob@${at},blocklisted\n`
    await imported(text, { preset: 'listmonk', consent: 'UNSUBSCRIBED' })
    assert.equal((await contact(`ada@${at}`))!.suppressedBy, 'IMPORTED')
    assert.equal((await contact(`bob@${at}`))!.suppressedBy, 'MANUAL')
  })

  it('keeps an old draft that is being started', async () => {
    const { id } = await draft(`email\nada@${domain()}\n`)
    await sql(em(), "update imports set updated_at = now() - interval '8 days' where id = $1::uuid", [id])
    await unitOf(em()).transactional(async (unit) => {
      await startImport(unit, service().workspaceId, id)
      await deleteOldFiles(em(), 100)
    })
    assert.equal((await get(id)).id, id)
  })

  it('takes the file, the mapping and the start in one request, and creates no import if the mapping is incomplete', async () => {
    const at = domain()
    const text = `email,first name\nada@${at},Ada\n`
    const total = async () =>
      ((await service().call('GET', 'imports?limit=1')).body as { pagination: { total: number } }).pagination.total
    const before = await total()
    const post = (body: object) => service().call('POST', 'imports', { name: 'x.csv', text, start: true, ...body })
    assert.equal((await post({})).refused, '400 mapping_incomplete')
    assert.equal((await post({ text: '' })).refused, '400 wrong_header')
    const wrongType = [{ column: 'Since', field: {}, type: 'date', format: 'DD/MM/YYYY' }]
    assert.equal((await post({ columns: wrongType })).refused, '400 invalid_request')
    const contradiction = { columns: [{ column: 'first name', field: 'consent', yes: ['x'] }], consent: 'SUBSCRIBED' }
    assert.equal((await post(contradiction)).refused, '400 wrong_mapping')
    assert.equal(await total(), before)
    const { status, body } = await post({ consent: 'SUBSCRIBED' })
    assert.equal(status, 201)
    assert.equal(body.data.status, 'RUNNING')
  })

  it('describes columns with samples and guesses, but guesses none that may hold consent', async () => {
    const rows = [
      'ada@example.com,A-1,3/11/2026,49.5,"beta;team",yes,Gold',
      'bob@example.com,A-2,28/10/2026,0,beta,no,Silver',
      'cid@example.com,A-3,,348,,yes,Cancelado',
    ]
    const { id } = await draft(`Kontakt,ref,since,mrr,labels,Klub,Plan\n${rows.join('\n')}\n`)
    const { columns, isComplete } = await mapping(id)
    assert.equal(isComplete, false)
    const of = (name: string) => columns.find(({ column }) => column === name)!
    assert.deepEqual(of('Kontakt').guess, { field: 'email' })
    assert.deepEqual(of('ref').guess, { field: 'metadata.ref', type: 'text' })
    assert.deepEqual(of('since').guess, { field: 'metadata.since', type: 'date', format: 'DD/MM/YYYY' })
    assert.deepEqual(of('since').dateFormats, ['DD/MM/YYYY'])
    assert.deepEqual(of('mrr').guess, { field: 'metadata.mrr', type: 'number', format: '1,234.5' })
    assert.deepEqual(of('labels').guess, { field: 'tags', format: ';' })
    assert.partialDeepStrictEqual(of('Klub'), { guess: null, mayBeConsent: true, values: ['no', 'yes'] })
    assert.partialDeepStrictEqual(of('Plan'), { guess: null, mayBeConsent: true })
    assert.deepEqual([of('since').filled, of('since').samples], [0.67, ['3/11/2026', '28/10/2026']])
  })

  it('knows names, and attributes that have two values, from columns of consent', async () => {
    const rows = [
      'ada@example.com,Ada,Byron,pro,on',
      'bob@example.com,Bob,Ross,free,off',
      'cid@example.com,Cid,Day,free,on',
    ]
    const { id } = await draft(`Email,First,Last name,Plan,Offers\n${rows.join('\n')}\n`)
    const { columns } = await mapping(id)
    const found = columns.map(({ column, decision, guess }) => {
      const known = (decision ?? guess) as { field: string } | null
      return [column, known?.field ?? null]
    })
    assert.deepEqual(found, [
      ['Email', 'email'],
      ['First', 'firstName'],
      ['Last name', 'metadata.lastName'],
      ['Plan', 'metadata.Plan'],
      ['Offers', null],
    ])
  })

  it('reads typed attributes, and fails rows whose value has another type', async () => {
    const at = domain()
    const header = 'email;mrr;since;pro;labels;seen'
    const columns = [
      { column: 'mrr', field: 'metadata.mrr', type: 'number', format: '1.234,5' },
      { column: 'since', field: 'metadata.since', type: 'date', format: 'DD/MM/YYYY' },
      { column: 'pro', field: 'metadata.pro', type: 'boolean', yes: ['x'] },
      { column: 'labels', field: 'tags', format: '|' },
      { column: 'seen', field: 'metadata.seen', type: 'date' },
    ]
    const rows = [
      `a@${at};1.234,50;03/11/2026;X;beta|team;2026-11-03 10:11`,
      `b@${at};;;;;`,
      `c@${at};viel;;;;`,
      `d@${at};;31/02/2026;;;`,
    ]
    const done = await imported(`${header}\n${rows.join('\n')}\n`, { columns })
    assert.deepEqual({ created: done.created, failed: done.failed }, { created: 2, failed: 2 })
    const { metadata, tags } = (await contact(`a@${at}`))!
    assert.deepEqual(metadata, { mrr: 1234.5, since: '2026-11-03', pro: true, seen: '2026-11-03T10:11:00.000Z' })
    assert.deepEqual(tags.toSorted(), ['beta', 'team'])
    assert.deepEqual((await contact(`b@${at}`))!.metadata, {})
    assert.deepEqual(await errorsOf(done.id), [
      {
        line: 4,
        problem: 'The column "mrr" must be a number, such as 1.234,5',
        cells: [`c@${at}`, 'viel', '', '', '', ''],
      },
      {
        ...{ line: 5, problem: 'The column "since" must be a date (DD/MM/YYYY)' },
        cells: [`d@${at}`, '', '31/02/2026', '', '', ''],
      },
    ])
  })

  it('rejects a mapping that contradicts the file or itself', async () => {
    const { id } = await draft('email,E-Mail,x\n')
    const refused = async (...columns: object[]) => (await put(id, { columns, consent: 'SUBSCRIBED' })).refused
    assert.equal(await refused({ column: 'y', field: 'nothing' }), '400 wrong_mapping')
    assert.equal(await refused({ column: 'x', field: 'nothing' }), '400 wrong_mapping')
    assert.equal(await refused({ column: 'E-Mail', field: 'metadata.second' }), undefined)
    for (const wrong of [
      { field: 'tags', type: 'text' },
      { field: 'consent' },
      { field: 'metadata.x', yes: ['a'] },
      { field: 'metadata.x', type: 'date', format: ';' },
      { field: 'metadata.' },
      { field: 'firstName', bounced: ['a'] },
    ])
      assert.equal(await refused({ column: 'x', ...wrong }), '400 invalid_request', JSON.stringify(wrong))
    const { id: uploading } = await begin()
    assert.equal((await put(uploading, {})).refused, '409 import_not_uploaded')
    assert.equal((await start(uploading)).refused, '409 import_not_uploaded')
  })

  it('skips a byte order mark and the line "sep=;", and reads addresses with a trailing dot', async () => {
    const at = domain()
    for (const beginning of ['', '\ufeff', 'sep=;\r\n', '\ufeffsep=;\n', '"sep=;"\n']) {
      const done = await imported(`${beginning}email;first name\r\nada@${at}.;Ada, B\r\nwrong;x\r\n`)
      assert.deepEqual([done.created + done.updated, done.failed], [1, 1], beginning)
      assert.equal((await contact(`ada@${at}`))!.firstName, 'Ada, B')
      assert.equal((await errorsOf(done.id))[0]!.line, beginning.includes('sep') ? 4 : 3)
    }
  })

  it('deletes the file after the import, and the failed rows of an erased contact', async () => {
    const at = domain()
    const done = await imported(`email,Note\nada@${at},x\nada@${at}\nnobody,y\n`, {
      columns: [{ column: 'Note', field: 'metadata.note' }],
    })
    assert.equal(done.failed, 3)
    assert.equal((await service().call('DELETE', `contacts/email:ada@${at}`)).status, 404)
    await imported(`email\nada@${at}\n`)
    assert.equal((await service().call('DELETE', `contacts/email:ada@${at}`)).status, 200)
    assert.deepEqual(
      (await errorsOf(done.id)).map(({ cells }) => cells),
      [null, null, ['nobody', 'y']],
    )
  })

  it('stops an import, continues it, and deletes it', async () => {
    const at = domain()
    const { id } = await draft(`email\nada@${at}\n`)
    const call = (what: string) => service().call('POST', `imports/${id}/${what}`)
    assert.equal((await call('stop')).refused, '409 import_not_running')
    assert.equal((await call('start')).status, 200)
    // The worker may have finished it already.
    const stopped = await call('stop')
    if (stopped.status === 200) await run(id)
    assert.equal((await get(id)).status, 'DONE')
    assert.equal((await service().call('DELETE', `imports/${id}`)).status, 200)
    assert.equal((await service().call('GET', `imports/${id}`)).status, 404)
    assert.ok(await contact(`ada@${at}`))
  })

  it('rejects a file in the upload of which a chunk is missing', async () => {
    const { id } = await begin()
    assert.equal((await sendChunk(id, 5, 'email\n', true)).refused, '409 import_position_mismatch')
  })
})
