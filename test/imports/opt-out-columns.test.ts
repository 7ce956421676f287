import assert from 'node:assert/strict'
import { importFile } from '../../src/imports/index.ts'
import { importChunk } from '../../src/imports/import-chunk.ts'
import { newCall } from '../../src/platform/call.ts'
import { sql, unitOf } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, aList, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { type ImportBody, importing } from './importing.ts'

describe('an import', () => {
  const { service, em, domain, file, begin, sendChunk, imported, errorsOf, contact } = importing()

  it('rejects files and rows of another service that do not show who opted out', async () => {
    const of = async (format: string, header: string, cells: string) => {
      const { id } = await begin({ format })
      const answer = await sendChunk(id, 0, `${header}\nx@${domain()},${cells}\n`, true)
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
      ['plunk', '[{"email":"a@example.com","subscribed":false}]', '', '400 wrong_header'],
      ['plunk', 'email,subscribed', '', { suppressed: 0, failed: 1 }],
      ['plunk', 'email,subscribed,snoozedUntil', `true,${later}`, { suppressed: 1, failed: 0 }],
    ] as const)
      assert.deepEqual(await of(format, header, cells), expected, `${format}: ${header}: ${cells}`)
  })

  it('finds opt-outs in many column titles and cells, and rejects ambiguous rows', async () => {
    const run = async (text: string, columns: { column: string; field: string }[] = []) => {
      const options = { columns, listId: null, tags: [], as: null, triggers: false }
      const done = await importFile({ em: em() }, service().workspaceId, { path: file(text), format: 'csv', options })
      const { suppressed, failed, problem } = done
      return { suppressed, failed, problem }
    }
    const nothing = { suppressed: 0, failed: 0, problem: null }
    for (const [column, out, not] of [
      ['unsubscribed_at', '2024-05-06T07:08:09Z', ''],
      ['\u200bunsubscribed', 'yes', 'no'],
      ['opt_in', 'no', '2024-05-06'],
      ['Opted-Out?', 'Unsubscribed (2024)', ''],
      ['subscribed', 'cleaned', 'active'],
      ['Opted out (Y/N)', 'Y', 'N'],
      ['subscribed', 'Non', 'oui'],
    ] as const) {
      const at = domain()
      const text = `email,${column}\nout@${at},${out}\nnot@${at},${not}\n`
      assert.deepEqual(await run(text), { ...nothing, suppressed: 1 }, column)
      assert.equal((await service().call('GET', `contacts/email:not@${at}`)).body.data.suppressedBy, null)
    }
    // A cell without a date or a known word has no meaning. A row with an ambiguous cell is rejected, so that no contact is
    // mailed because of a guess.
    for (const [column, cell, failed, suppressed = 0] of [
      ['unsubscribed_at', '0000-00-00 00:00:00', 0],
      ['unsubscribed_at', 'NULL', 0],
      ['opt_in', '', 1],
      ['subscribed', '', 0],
      ['unsubscribed', 'perhaps', 1],
      ['subscribed', 'Unsubscribed - via link', 0, 1],
      // Unknown columns, as exported by shops and CRMs.
      ['Unsubscribed from all email', 'true', 1],
      ['Unsubscribed from all email', 'false', 0],
      ['Accepts Email Marketing', 'no', 1],
      ['Accepts Email Marketing', 'yes', 0],
      ['Date unsubscribed', '2024-05-06', 1],
      ['Date unsubscribed', '', 0],
      ['Bounces', '3', 1],
      ['Bounces', '0', 0],
      ['Email Marketing Consent', 'NEVER_SUBSCRIBED', 1],
      ['Email Marketing Consent', 'SUBSCRIBED', 0],
      ['Status', 'Not subscribed', 1],
      ['Status', 'NOT_REACHABLE', 1],
      ['Status', 'gold', 0],
      ['Notes', 'Unsubscribed by Bruno', 1],
      ['', 'unsubscribed', 1],
      ['', 'x', 0],
      ['Tags', '"vip, do-not-email"', 1],
      ['Tags', 'vip', 0],
      // A title that is a sentence, and titles and cells in other languages.
      [`I agree to receive ${'more and '.repeat(10)} the newsletter, and can unsubscribe at any time`, 'No', 1],
      ['Abgemeldet', 'ja', 1],
      ['Kein Mailing', 'nein', 0],
      ['De\u0301sabonne\u0301', 'oui', 1],
      ['Estado', 'Dado de baja', 1],
      ['Estado', 'Baja California', 0],
      ['Iscritto', 'no', 1],
      ['Uitgeschreven', 'ja', 1],
      // A yes in a column for withdrawn consent is an opt-out.
      ['Consent withdrawn', 'yes', 1],
      ['Consent withdrawn', 'no', 0],
      ['No newsletter', 'yes', 1],
      ['Newsletter & exclusive offers', 'Yes', 1],
      // An empty consent cell is a box that was not ticked.
      ['Newsletter', '', 1],
      ['Newsletter', 'on', 0],
      ['Marketing consent', '', 1],
      // Words that look like an opt-out but are not.
      ['Unsubscribe link', 'https://example.com/x', 0],
      ['Bounce rate', '5%', 0],
      ['Mailing Street', 'Main St 1', 0],
      ['Subscription plan', 'none', 0],
      ['Secondary Email', 'notary@example.com', 0],
      ['email_verified', 'false', 0],
    ] as const)
      assert.deepEqual(
        await run(`email,${column}\nx@${domain()},${cell}\n`),
        { ...nothing, failed, suppressed },
        `${column}: ${cell}`,
      )
    const [at, other] = [domain(), domain()]
    const status = (domain: string) => `email,status\nout@${domain},Unsubscribed\nnot@${domain},gold\n`
    assert.deepEqual(await run(status(at)), { ...nothing, failed: 1 })
    assert.equal((await service().call('GET', `contacts/email:out@${at}`)).status, 404)
    assert.deepEqual(await run(status(other), [{ column: 'status', field: 'metadata.status' }]), nothing)
    // A mapped column has exactly the mapped meaning, and an unchecked box is an opt-out.
    const box = (domain: string) => `email,Newsletter\nin@${domain},on\nout@${domain},\n`
    for (const [field, expected] of [
      ['subscribed', { failed: 1 }],
      ['ticked', { suppressed: 1 }],
      ['metadata.Newsletter', {}],
    ] as const)
      assert.deepEqual(await run(box(domain()), [{ column: 'Newsletter', field }]), { ...nothing, ...expected }, field)
    // An unreadable row or cell must not hide an opt-out.
    const hidden = domain()
    assert.deepEqual(await run(`email,tags,Do not email\nx@${hidden},"""vip, y",yes\nx@${hidden},vip,\n`), {
      ...nothing,
      failed: 2,
    })
    const broken = domain()
    assert.deepEqual(await run(`email,unsubscribed\nok@${broken},no\na\0b@${broken},yes\nout@${broken},yes\n`), {
      ...nothing,
      suppressed: 1,
      failed: 1,
    })
    const hinted = async (column: string) =>
      (await errorsOf((await imported(`email,${column}\nx@${domain()},maybe\n`)).id))[0]!.problem
    assert.match(await hinted('opt_in'), /If an empty cell means no, choose "ticked"/)
    assert.doesNotMatch(await hinted('unsubscribed'), /ticked/)
    const tagged = `email,Tags\nx@${domain()},unsubscribed\n`
    assert.deepEqual(await run(tagged, [{ column: 'Tags', field: 'tags' }]), nothing)
    const header = 'Email Address,First Name,MEMBER_RATING,LEID,EUID,UNSUB_TIME'
    await assert.rejects(run(`${header}\nx@${at},X,2,1,abc,2024-05-06 07:08:09\n`), /--format mailchimp/)
    await assert.rejects(run(`email,E-Mail\nx@${at},y@${at}\n`), /two columns for addresses/)
    const old = domain()
    assert.deepEqual(await run(`Email (old),Email\nold@${old},new@${old}\n`), nothing)
    assert.equal((await service().call('GET', `contacts/email:new@${old}`)).status, 200)
    // Errors survive an erasure, so they contain no personal data.
    const told = await imported(`email,unsubscribed\nx@${at},ada@${other}\n`, {})
    const errors = await service().call('GET', `imports/${told.id}/errors`)
    assert.match(JSON.stringify(errors.body), /must be yes or no/)
    assert.doesNotMatch(JSON.stringify(errors.body), new RegExp(other))
    await assert.rejects(run(`uuid,email,name,attributes,status\n1,x@${at},X,{},blocklisted\n`), /--format listmonk/)
  })

  it('rejects all rows of an address if one of them may be an opt-out', async () => {
    for (const rows of [
      ['Zoe,2024-03-01', 'Zoe B,'],
      // The date is in the wrong column.
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

  it('finishes quickly for any content of cells and header', async () => {
    const at = domain()
    const rows = Array.from({ length: 4_000 }, (_, n) => `a${n}@${at},maybe`)
    const quotes = "'".repeat(120_000)
    // Marks in the wrong order. Without a limit, Unicode normalization of these blocks the process.
    const marks = '\u0300'.repeat(15_000) + '\u0316'.repeat(15_000)
    for (const text of [
      `email\nx${quotes}x\n`,
      `email,"${'unsu'.repeat(25_000)}"\n${rows.join('\n')}\n`,
      `email,${'mailinglist'.repeat(9_000)}!\nx@${at},no\n`,
      `email,newsletter a${marks}\nx@${at},a${marks}\n`,
    ]) {
      assert.equal((await imported(text)).status, 'DONE')
    }
  })

  it('reads addresses as spreadsheets and mail programs decorate them', async () => {
    const at = domain()
    const ways = [
      '\u200bx0',
      '\u202ax1',
      'x2\u00ad',
      '<x3',
      'Ada <x4',
      'mailto:x5',
      "'x6",
      '"Ada, L" <x7',
      '“x8',
      '„x9',
      '«x10',
    ]
    const closing: Record<string, string> = { '“': '”', '„': '“', '«': '»' }
    const cells = ways.map((way) => `${way}@${at}${way.includes('<') ? '>' : (closing[way[0]!] ?? '')}`)
    const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}",yes`)
    const done = await imported(`email,unsubscribed\n${quoted.join('\n')}\n`)
    assert.deepEqual({ failed: done.failed, suppressed: done.suppressed }, { failed: 0, suppressed: ways.length })
    for (const n of ways.keys()) assert.equal((await contact(`x${n}@${at}`))?.suppressedBy, 'IMPORTED', ways[n])
  })

  /** Creates a list with double opt-in, and the automation that asks its contacts to confirm. */
  const aConfirmingList = async () => {
    const listId = await aList(service())
    const asks = { ...EMAIL, category: 'transactional', text: '{{ confirmUrl }}' }
    await anAutomation(service(), { trigger: 'LIST_REQUESTED', triggerConfig: { listId }, steps: [asks] })
    assert.equal((await service().call('PATCH', `lists/${listId}`, { doubleOptIn: true })).status, 200)
    return listId
  }

  it('adds no contact who opted out to a list, and asks none of them to confirm', async () => {
    const confirmingList = await aConfirmingList()
    const at = domain()
    const out = await aContact(service(), { email: `out@${at}` })
    const left = await aContact(service(), { email: `left@${at}` })
    await service().call('POST', 'suppressions', { email: `out@${at}`, reason: 'UNSUBSCRIBED' })
    await sql(em(), 'insert into list_opt_outs (list_id, contact_id) values ($1, $2)', [confirmingList, left])
    const many = Array.from({ length: 150 }, (_, n) => `filler-${n}@${at},`)
    // The second row of this contact is in another chunk.
    const rows = [`late@${at},yes`, `out@${at},`, `left@${at},`, ...many, `late@${at},`]
    for (const listId of [confirmingList, await aList(service())]) {
      const path = file(`email,unsubscribed\n${rows.join('\n')}\n`)
      const options = { columns: [], listId, triggers: listId === confirmingList, confirmed: false, tags: [], as: null }
      await importFile({ em: em() }, service().workspaceId, { path, format: 'csv', options })
      const late = (await service().call('GET', `contacts/email:late@${at}`)).body.data as {
        id: string
        listIds: string[]
      }
      assert.deepEqual(late.listIds, [])
      const pending = await sql(em(), 'select from confirmation_requests where contact_id = any($1::uuid[])', [
        [out, left, late.id],
      ])
      assert.equal(pending.length, 0)
    }
  })

  it('adds no contact to a list if a later row opts them out', async () => {
    const at = domain()
    const listId = await aList(service())
    const rows = `email,unsubscribed\na@${at},false\nb@${at},false\nA@${at},true\n`
    const done = await imported(rows, { listId })
    assert.equal(done.suppressed, 1, JSON.stringify(done))
    const members = (await service().call('GET', `lists/${listId}/contacts`)).body.data as { email: string }[]
    assert.deepEqual(
      members.map(({ email }) => email),
      [`b@${at}`],
    )
  })

  it('ends the enrollment of a contact whom a row opts out, and leaves its workflow to the relay in the bulk lane', async () => {
    const email = `waits@${domain()}`
    const automationId = await anAutomation(service(), { steps: [EMAIL, wait(60), EMAIL] })
    const contactId = await aContact(service(), { email })
    await enroll(service(), automationId, contactId)
    await eventually('the first email is captured', async () => (await activityOf(service(), contactId))[0])
    const { id } = await begin()
    const chunk = { position: 0, bytes: Buffer.from(`email,unsubscribed\n${email},yes\n`), isLast: true }
    const call = newCall()
    // The relay sees the delivery only after the commit.
    const due = await unitOf(em()).transactional(async (unit) => {
      assert.equal((await importChunk({ em: unit }, service().workspaceId, id, chunk, call)).suppressed, 1)
      return sql(
        unit,
        'select kind, lane, due_at <= now() as "isDue" from outbox where automation_id = $1::uuid and contact_id = $2::uuid',
        [automationId, contactId],
      )
    })
    assert.deepEqual(due, [{ kind: 'END', lane: 'bulk', isDue: true }])
    const { data } = (await service().call('GET', `contacts/${contactId}/enrollments`)).body
    assert.equal(data[0].status, 'CANCELLED')
    const workflow = service().context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    await eventually('the workflow is cancelled', async () =>
      (await workflow.describe()).status.name === 'CANCELLED' ? true : undefined,
    )
  })

  it('ends at most 500 enrollments per request', async function () {
    this.timeout(180_000)
    const at = domain()
    const people = 520
    const automation = await anAutomation(service(), { status: 'DRAFT', steps: [EMAIL] })
    await sql(
      em(),
      `with made as (
         insert into contacts (id, workspace_id, email, email_key, created_at, updated_at)
         select gen_random_uuid(), $1::uuid, address, address, now(), now()
         from (select 'p' || n || '@' || $2::text as address from generate_series(1, $4::integer) n) addresses returning id
       )
       insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at)
       select gen_random_uuid(), $1::uuid, $3::uuid, id, 1, 'ACTIVE', now() from made`,
      [service().workspaceId, at, automation, people],
    )
    const text = `email,unsubscribed\n${Array.from({ length: people }, (_, n) => `p${n + 1}@${at},yes\n`).join('')}`
    const { id } = await begin()
    const first = (await sendChunk(id, 0, text, true)).body.data as ImportBody
    assert.deepEqual(
      { status: first.status, updated: first.updated, suppressed: first.suppressed },
      { status: 'RUNNING', updated: 500, suppressed: 500 },
    )
    const last = (await sendChunk(id, first.position, text.slice(first.position), true)).body.data as ImportBody
    assert.deepEqual({ status: last.status, suppressed: last.suppressed }, { status: 'DONE', suppressed: people })
  })

  it('removes the pending confirmation of a contact who is already suppressed', async () => {
    const confirmingList = await aConfirmingList()
    const email = `known@${domain()}`
    const text = `email,unsubscribed\n${email},yes\n`
    await imported(text)
    await service().call('POST', 'contacts', { email, listId: confirmingList })
    const asked = () =>
      sql(
        em(),
        'select from confirmation_requests request join contacts contact on contact.id = request.contact_id where email = $1',
        [email],
      )
    assert.equal((await asked()).length, 1)
    assert.equal((await imported(text)).suppressed, 0)
    assert.equal((await asked()).length, 0)
  })

  it('finds an opted-out contact without an address by their externalId', async () => {
    const at = domain()
    for (const [n, cells] of ['7-a,new@AT,yes', '7-b,,yes', '7-c,no address,yes', '7-d,,no'].entries()) {
      const externalId = cells.split(',')[0]!
      await service().call('POST', 'contacts', { email: `old${n}@${at}`, externalId })
      await imported(`externalId,email,unsubscribed\n${cells.replace('AT', at)}\n`)
      // If the row has an address, only the address counts, because an external ID may mean another contact elsewhere.
      const expected = ['7-a', '7-d'].includes(externalId) ? null : 'IMPORTED'
      assert.equal((await contact(`old${n}@${at}`))?.suppressedBy, expected, cells)
    }
    // Another row of the same file may opt the contact out, even if it is otherwise invalid. Then they join no list.
    const listId = await aList(service())
    const rows = [`8-a,her@${at},no,`, '8-a,,yes,', `8-b,too@${at},no,`, '8-b,,yes,"""x, y"']
    await imported(`externalId,email,unsubscribed,tags\n${rows.join('\n')}\n`, { listId })
    for (const name of ['her', 'too']) assert.equal((await contact(`${name}@${at}`))?.suppressedBy, 'IMPORTED', name)
    const members = (await service().call('GET', `lists/${listId}/contacts`)).body.data as unknown[]
    assert.deepEqual(members, [])
  })

  it('raises the consent version of a contact that signs up while a row of the file opts their address out', async () => {
    const email = 'her@fails.example.com'
    const { id } = (await service().call('POST', 'imports', { name: 'x.csv' })).body.data as { id: string }
    const bytes = Buffer.from(`email,unsubscribed\n${email},true,oops\n`)
    const consent_version = async () =>
      (
        await sql<{ consent_version: number }>(em(), 'select consent_version from contacts where email = $1', [email])
      )[0]!.consent_version
    const call = newCall()
    let versionBefore = 0
    await unitOf(em()).transactional(async (unit) => {
      const chunk = { position: 0, bytes, isLast: true }
      assert.equal((await importChunk({ em: unit }, service().workspaceId, id, chunk, call)).suppressed, 1)
      assert.equal((await service().call('POST', 'contacts', { email })).status, 201)
      versionBefore = await consent_version()
    })
    assert.equal(await consent_version(), versionBefore, 'before the commit')
    for (const run of call.afterCommit) await run()
    assert.ok((await consent_version()) > versionBefore, 'a worker could still claim with the version it read before')
  })

  it('locks contacts in the order of their IDs, also for an opt-out in an unreadable row', async () => {
    const at = domain()
    const addresses = [`one@${at}`, `two@${at}`]
    const ids = await Promise.all(addresses.map((email) => aContact(service(), { email })))
    const [[first, optedOut], [second, written]] = ids
      .map((id, n): [string, string] => [id, addresses[n]!])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)) as [[string, string], [string, string]]
    const { id } = await begin()
    const lock = 'select from contacts where id = $1::uuid for no key update'
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    const sent = await em().transactional(async (unit) => {
      await sql(unit, lock, [first])
      const answer = sendChunk(id, 0, `email,unsubscribed\n${written},no\n${optedOut},yes,surplus\n`, true)
      await eventually('the import waits', async () => (await sql(em(), waiting)).length > 0 || undefined)
      await sql(unit, lock, [second])
      return { answer }
    })
    const { status, body } = await sent.answer
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(body.data, { updated: 1, suppressed: 1, failed: 1 })
  })
})
