import assert from 'node:assert/strict'
import { advanceImport, importFile, startImport } from '../../src/imports/index.ts'
import { newCall } from '../../src/platform/call.ts'
import type { EntityManager } from '../../src/platform/db/orm.ts'
import { sql, unitOf } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { lockWaits } from '../support/locks.ts'
import { aContact, activityOf, aList, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { REAL_PAGE_SIZES, withPageSizes } from '../support/page-sizes.ts'
import { type ImportBody, importing, options, UNSUBSCRIBED } from './importing.ts'

describe('an import', () => {
  const { service, em, domain, file, draft, imported, contact } = importing()
  const { importedRows, importedStartingRows } = REAL_PAGE_SIZES
  // Rows of one contact are read together if they are in one chunk.
  withPageSizes({ importedRows, importedStartingRows })

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
      const { id } = (await service().call('POST', 'imports', { name: 'x.csv', text })).body.data as ImportBody
      const answer = await service().call('GET', `imports/${id}/mapping`)
      assert.equal(answer.status, 200)
      assert.equal(answer.body.data.isComplete, false)
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
    const done = await imported(`email,unsubscribed\n${quoted.join('\n')}\n`, { columns: [UNSUBSCRIBED] })
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
      const given = options({ columns: [UNSUBSCRIBED], consent: null, listId, triggers: listId === confirmingList })
      await importFile({ em: em() }, service().workspaceId, { path, options: given })
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
    const done = await imported(rows, { listId, columns: [UNSUBSCRIBED] })
    assert.equal(done.suppressed, 1, JSON.stringify(done))
    const members = (await service().call('GET', `lists/${listId}/contacts`)).body.data as { email: string }[]
    assert.deepEqual(
      members.map(({ email }) => email),
      [`b@${at}`],
    )
  })

  it('ends the enrollment of a contact whom a row opts out by its exit rule, and leaves its workflow to the relay in the bulk lane', async () => {
    const email = `waits@${domain()}`
    const steps = [EMAIL, wait(60), EMAIL]
    const automationId = await anAutomation(service(), { steps, exitOn: [{ event: 'unsubscribed' }] })
    const contactId = await aContact(service(), { email })
    await enroll(service(), automationId, contactId)
    await eventually('the first email is sent', async () =>
      (await activityOf(service(), contactId)).find(({ status }) => status === 'SENT'),
    )
    const { id } = await draft(`email,unsubscribed\n${email},yes\n`, { columns: [UNSUBSCRIBED] })
    const call = newCall()
    // The relay sees the delivery only after the commit.
    const due = await unitOf(em()).transactional(async (unit) => {
      await startImport(unit, service().workspaceId, id)
      assert.equal((await advanceImport({ em: unit }, service().workspaceId, id, call))?.suppressed, 1)
      return sql(
        unit,
        'select kind, lane, due_at <= now() as "isDue" from outbox where automation_id = $1::uuid and contact_id = $2::uuid',
        [automationId, contactId],
      )
    })
    assert.deepEqual(due, [{ kind: 'LEAVE', lane: 'bulk', isDue: true }])
    const { data } = (await service().call('GET', `contacts/${contactId}/enrollments`)).body
    assert.equal(data[0].status, 'EXITED')
    const workflow = service().context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    assert.equal(((await workflow.result()) as { status: string }).status, 'EXITED')
  })

  it('ends at most 500 enrollments per request', async function () {
    this.timeout(180_000)
    const at = domain()
    const people = 520
    const exitOn = [{ event: 'unsubscribed' }]
    const automation = await anAutomation(service(), { status: 'DRAFT', steps: [EMAIL], exitOn })
    await sql(
      em(),
      `with made as (
         insert into contacts (id, workspace_id, email, email_key, created_at, updated_at)
         select gen_random_uuid(), $1::uuid, address, address, now(), now()
         from (select 'p' || n || '@' || $2::text as address from generate_series(1, $4::integer) n) addresses returning id
       )
       insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at, wakes_at)
       select gen_random_uuid(), $1::uuid, $3::uuid, id, 1, 'ACTIVE', now(), now() from made`,
      [service().workspaceId, at, automation, people],
    )
    const text = `email,unsubscribed\n${Array.from({ length: people }, (_, n) => `p${n + 1}@${at},yes\n`).join('')}`
    const { id } = await draft(text, { columns: [UNSUBSCRIBED] })
    const advance = (unit: EntityManager) => advanceImport({ em: unit }, service().workspaceId, id, newCall())
    await unitOf(em()).transactional(async (unit) => {
      await startImport(unit, service().workspaceId, id)
      const { status, updated, suppressed } = (await advance(unit))!
      assert.deepEqual({ status, updated, suppressed }, { status: 'RUNNING', updated: 500, suppressed: 500 })
    })
    const { status, suppressed } = (await advance(em()))!
    assert.deepEqual({ status, suppressed }, { status: 'DONE', suppressed: people })
  })

  it('removes the pending confirmation of a contact who is already suppressed', async () => {
    const confirmingList = await aConfirmingList()
    const email = `known@${domain()}`
    const text = `email,unsubscribed\n${email},yes\n`
    await imported(text, { columns: [UNSUBSCRIBED] })
    await service().call('POST', 'contacts', { email, listId: confirmingList })
    const asked = () =>
      sql(
        em(),
        'select from confirmation_requests request join contacts contact on contact.id = request.contact_id where email = $1',
        [email],
      )
    assert.equal((await asked()).length, 1)
    assert.equal((await imported(text, { columns: [UNSUBSCRIBED] })).suppressed, 0)
    assert.equal((await asked()).length, 0)
  })

  it('finds an opted-out contact without an address by their externalId', async () => {
    const at = domain()
    for (const [n, cells] of ['7-a,new@AT,yes', '7-b,,yes', '7-c,no address,yes', '7-d,,no'].entries()) {
      const externalId = cells.split(',')[0]!
      await service().call('POST', 'contacts', { email: `old${n}@${at}`, externalId })
      await imported(`externalId,email,unsubscribed\n${cells.replace('AT', at)}\n`, { columns: [UNSUBSCRIBED] })
      // If the row has an address, only the address counts, because an external ID may mean another contact elsewhere.
      const expected = ['7-a', '7-d'].includes(externalId) ? null : 'IMPORTED'
      assert.equal((await contact(`old${n}@${at}`))?.suppressedBy, expected, cells)
    }
    // Another row of the same file may opt the contact out, even if it is otherwise invalid. Then they join no list.
    const listId = await aList(service())
    const rows = [`8-a,her@${at},no,`, '8-a,,yes,', `8-b,too@${at},no,`, '8-b,,yes,"""x, y"']
    const columns = [UNSUBSCRIBED, { column: 'tags', field: 'tags' }]
    await imported(`externalId,email,unsubscribed,tags\n${rows.join('\n')}\n`, { listId, columns })
    for (const name of ['her', 'too']) assert.equal((await contact(`${name}@${at}`))?.suppressedBy, 'IMPORTED', name)
    const members = (await service().call('GET', `lists/${listId}/contacts`)).body.data as unknown[]
    assert.deepEqual(members, [])
  })

  it('raises the consent version of a contact that signs up while a row of the file opts their address out', async () => {
    const email = 'her@fails.example.com'
    const { id } = await draft(`email,unsubscribed\n${email},true,oops\n`, { columns: [UNSUBSCRIBED] })
    const consent_version = async () =>
      (
        await sql<{ consent_version: number }>(em(), 'select consent_version from contacts where email = $1', [email])
      )[0]!.consent_version
    const call = newCall()
    let versionBefore = 0
    await unitOf(em()).transactional(async (unit) => {
      await startImport(unit, service().workspaceId, id)
      assert.equal((await advanceImport({ em: unit }, service().workspaceId, id, call))?.suppressed, 1)
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
    const text = `email,unsubscribed\n${written},no\n${optedOut},yes,surplus\n`
    const lock = 'select from contacts where id = $1::uuid for no key update'
    const sent = await em().transactional(async (unit) => {
      await sql(unit, lock, [first])
      const answer = imported(text, { columns: [UNSUBSCRIBED] })
      await lockWaits(em())
      await sql(unit, lock, [second])
      return { answer }
    })
    assert.partialDeepStrictEqual(await sent.answer, { status: 'DONE', updated: 1, suppressed: 1, failed: 1 })
  })
})
