import assert from 'node:assert/strict'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { queuePage } from '../../src/campaigns/recipients.ts'
import type { Condition } from '../../src/segments/index.ts'
import { setPreferences } from '../../src/consent/preferences.ts'
import { takePiece } from '../../src/imports/take-piece.ts'
import { newCall } from '../../src/platform/call.ts'
import { sql, unitOf } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { createMessageStore } from '../../src/parts/mail.ts'
import { anAttempt, dueOf, prepareRecipients } from '../support/campaign-claims.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, aList, anAutomation, EMAIL } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'

const ASKS = { type: 'EMAIL', category: 'transactional', subject: 'Please confirm', text: 'Press: {{ confirmUrl }} .' }

describe('what is said while a statement waits for a row', () => {
  let service: Service
  let sink: SmtpSink
  before(async () => {
    sink = await startSmtpSink()
    service = await startService({ env: { SMTP_URL: sink.url, PUBLIC_URL: 'https://mail.example.com' } })
  })
  after(async () => {
    await service.stop()
    await sink.close()
  })
  const em = () => service.context.orm.em.fork()
  const saysTo = (address: string, subject: string) =>
    sink.mails.filter(({ to, headers }) => to[0] === address && headers.includes(`Subject: ${subject}`))
  const askingList = async () => {
    const list = await aList(service)
    await anAutomation(service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list }, steps: [ASKS] })
    assert.equal((await service.call('PATCH', `lists/${list}`, { doubleOptIn: true })).status, 200)
    return list
  }
  /** Somebody else has a contact's row. @returns what lets go of it */
  async function hold(id: string): Promise<() => Promise<void>> {
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = em().transactional(async (unit) => {
      await sql(unit, 'select from contacts where id = $1::uuid for update', [id])
      locked.resolve()
      await release.promise
    })
    await locked.promise
    return async () => {
      release.resolve()
      await holding
    }
  }
  const waiting = (count: number) =>
    eventually(`${count} wait`, async () => {
      const rows = await sql(
        em(),
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      return rows.length >= count || undefined
    })
  /** A campaign is in the middle of its sending, and has a contact still before it. */
  async function queue(campaign: string, contactId: string): Promise<void> {
    await sql(em(), `update campaigns set status = 'SENDING', started_at = now(), walked = true where id = $1`, [
      campaign,
    ])
    await sql(
      em(),
      `insert into messages (id, workspace_id, contact_id, campaign_id, status, claim, attempts, due_at)
       values ($1, $2, $3, $4, 'QUEUED', $5, 0, now())`,
      [newId(), service.workspaceId, contactId, campaign, newId()],
    )
  }
  /** What happened to a contact is there with whatever has written it. */
  const signUps = async (id: string) =>
    (await sql(em(), `select from trigger_events where contact_id = $1 and type = 'SIGNUP'`, [id])).length

  it('is a sign-up once, where she confirms before many are written', async () => {
    const list = await askingList()
    const first = await aContact(service, { email: 'a@confirms.example.com' })
    await anAutomation(service, { trigger: 'SIGNUP', steps: [{ ...EMAIL, subject: 'Welcome' }] })
    const email = 'z@confirms.example.com'
    const { id } = (await service.call('POST', 'contacts', { email, listId: list })).body.data as { id: string }
    const mail = await eventually('asked', () => saysTo(email, 'Please confirm')[0])
    const [, path] = /https:\/\/mail\.example\.com(\/confirm\/[\w-]{66})/.exec(mail.body.replaceAll('=\r\n', ''))!
    const letGo = await hold(first)
    const bulk = service.call('POST', 'contacts/bulk', {
      contacts: [{ email: 'a@confirms.example.com' }, { email, metadata: { plan: 'free' } }],
    })
    await waiting(1)
    const body = new URLSearchParams({ choice: 'confirm' })
    const page = await fetch(`http://127.0.0.1:${service.port}${path}`, { method: 'POST', body })
    assert.match(await page.text(), /You are subscribed/)
    await letGo()
    assert.equal((await bulk).status, 200)
    assert.equal(await signUps(id), 1)
  })

  it('is a sign-up, where a form and a file that vouches for her come at the same moment', async () => {
    const list = await askingList()
    await anAutomation(service, { trigger: 'SIGNUP', steps: [{ ...EMAIL, subject: 'Good day' }] })
    const last = await aContact(service, { email: 'zz@vouched.example.com' })
    const email = 'a@vouched.example.com'
    const letGo = await hold(last)
    const form = service.call('POST', 'contacts/bulk', {
      contacts: [{ email, listId: list }, { email: 'zz@vouched.example.com' }],
    })
    await waiting(1)
    const said = { name: 'x.csv', listId: list, confirmed: true, triggers: true }
    const { id: importId } = (await service.call('POST', 'imports', said)).body.data as { id: string }
    const piece = { position: 0, text: `email\n${email}\n`, isLast: true }
    const taken = service.call('POST', `imports/${importId}/pieces`, piece)
    await waiting(2)
    await letGo()
    assert.deepEqual([(await form).status, (await taken).status], [200, 200])
    const { data } = (await service.call('GET', `contacts/email:${email}`)).body
    assert.equal(data.suppressedBy, null)
    assert.equal(await signUps(data.id as string), 1)
  })

  for (const how of ['by her id', 'by a file'] as const)
    it(`begins what she was tagged with, where she is vouched for ${how}`, async () => {
      const list = await askingList()
      const tag = `lead ${how}`
      await anAutomation(service, {
        trigger: 'TAG_ADDED',
        triggerConfig: { tagName: tag },
        steps: [{ ...EMAIL, subject: 'Tagged' }],
      })
      const email = `${how.replaceAll(' ', '-')}@tagged.example.com`
      const said = { email, listId: list, tags: [tag] }
      const { id } = (await service.call('POST', 'contacts', said)).body.data as { id: string }
      await eventually('asked', () => saysTo(email, 'Please confirm')[0])
      if (how === 'by her id') {
        const vouched = { contactIds: [id], confirmed: true }
        assert.equal((await service.call('POST', `lists/${list}/contacts`, vouched)).body.data.added, 1)
      } else {
        const of = { name: 'x.csv', listId: list, confirmed: true, triggers: true }
        const { id: importId } = (await service.call('POST', 'imports', of)).body.data as { id: string }
        const piece = { position: 0, text: `email\n${email}\n`, isLast: true }
        assert.equal((await service.call('POST', `imports/${importId}/pieces`, piece)).status, 200)
      }
      await eventually('it has begun', () => saysTo(email, 'Tagged')[0])
    })

  it('begins what she was tagged with once, also where that was before she was vouched for', async () => {
    const list = await askingList()
    const count = async (id: string) =>
      (await sql(em(), `select from trigger_events where contact_id = $1 and type = 'TAG_ADDED'`, [id])).length
    await anAutomation(service, { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'once' }, steps: [EMAIL] })
    const said = { email: 'once@tagged.example.com', listId: list }
    const { id } = (await service.call('POST', 'contacts', said)).body.data as { id: string }
    await service.call('POST', `contacts/${id}/tags`, { tags: ['once'] })
    assert.equal(await count(id), 0, 'she has not signed up')
    await service.call('POST', `lists/${list}/contacts`, { contactIds: [id], confirmed: true })
    await service.call('POST', `contacts/${id}/tags`, { tags: ['once'] })
    assert.equal(await count(id), 1)
  })

  it('begins what she was tagged with by somebody who was before whoever vouches for her', async () => {
    const list = await askingList()
    await anAutomation(service, { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'late' }, steps: [EMAIL] })
    const last = await aContact(service, { email: 'zz@late.example.com' })
    const email = 'a@late.example.com'
    const { id } = (await service.call('POST', 'contacts', { email, listId: list })).body.data as { id: string }
    const letGo = await hold(last)
    const tagging = service.call('POST', 'contacts/bulk', {
      contacts: [{ email, tags: ['late'] }, { email: 'zz@late.example.com' }],
    })
    await waiting(1)
    const vouching = service.call('POST', `lists/${list}/contacts`, { contactIds: [id], confirmed: true })
    await waiting(2)
    await letGo()
    assert.deepEqual([(await tagging).status, (await vouching).status], [200, 200])
    const begun = await sql(em(), `select from trigger_events where contact_id = $1 and type = 'TAG_ADDED'`, [id])
    assert.equal(begun.length, 1)
  })

  it('is that she wants no mail, where a file that puts her into a list waits for her', async () => {
    const list = await aList(service)
    await anAutomation(service, { trigger: 'LIST_ADDED', triggerConfig: { listId: list }, steps: [EMAIL] })
    const first = await aContact(service, { email: 'a@no-mail.example.com' })
    const her = await aContact(service, { email: 'z@no-mail.example.com' })
    const { id: importId } = (await service.call('POST', 'imports', { name: 'x.csv', listId: list, triggers: true }))
      .body.data as { id: string }
    const letGo = await hold(first)
    const text = 'email\na@no-mail.example.com\nz@no-mail.example.com\n'
    const piece = service.call('POST', `imports/${importId}/pieces`, { position: 0, text, isLast: true })
    await waiting(1)
    const said = { email: 'z@no-mail.example.com', reason: 'UNSUBSCRIBED' }
    assert.equal((await service.call('POST', 'suppressions', said)).status, 201)
    await letGo()
    assert.equal((await piece).status, 200)
    assert.deepEqual((await service.call('GET', `contacts/${her}`)).body.data.listIds, [])
    const begun = await sql(em(), `select from trigger_events where contact_id = $1 and type = 'LIST_ADDED'`, [her])
    assert.equal(begun.length, 0)
  })

  it('is that she has left, where she has come back and left once more', async () => {
    const list = await aList(service)
    await service.call('PATCH', `lists/${list}`, { public: true })
    const first = await aContact(service, { email: `a-${list}@example.com` })
    const her = await aContact(service, { email: `z-${list}@example.com` })
    await service.call('POST', `lists/${list}/contacts`, { contactIds: [first, her] })
    const says = { name: 'News', subject: 'News', text: 'Hello', audience: { listIds: [list] } }
    const { id: originId } = (await service.call('POST', 'campaigns', says)).body.data as { id: string }
    await service.call('POST', `campaigns/${originId}/schedule`, {})
    await eventually('it is sent', async () => {
      const { data } = (await service.call('GET', `campaigns/${originId}`)).body
      return data.status === 'SENT' || undefined
    })
    const wish = (ids: string[]) =>
      setPreferences(service.context.dependencies, { contactId: her, originId }, { kind: 'lists', ids })
    await wish([])
    const letGo = await hold(first)
    const putting = service.call('POST', `lists/${list}/contacts`, { contactIds: [first, her], resubscribe: true })
    await waiting(1)
    await wish([list])
    await wish([])
    await letGo()
    await putting
    assert.deepEqual((await service.call('GET', `contacts/${her}`)).body.data.listIds, [])
  })

  it('of an address that a contact has no more, and then has again, is what its emails are held to', async () => {
    const id = await aContact(service)
    const email = await addressOf(service, id)
    const said = { name: 'n', subject: 'News', text: 'x', audience: { listIds: [await aList(service)] } }
    const { id: campaign } = (await service.call('POST', 'campaigns', said)).body.data as { id: string }
    await service.stopWorkers()
    try {
      await queue(campaign, id)
      const looked = (await prepareRecipients(service, campaign)).get(id)!
      assert.equal(looked.suppressedBy, null)
      await service.call('PATCH', `contacts/${id}`, { email: 'elsewhere@example.com' })
      assert.equal((await service.call('POST', 'suppressions', { email, reason: 'BOUNCED' })).status, 201)
      await service.call('PATCH', `contacts/${id}`, { email })
      assert.equal(await createMessageStore(em()).claim(anAttempt(looked), { status: 'SENDING' }), false)
    } finally {
      await service.startWorker()
    }
  })

  it('is that she has left, where a campaign is to a segment that asks for that list, whatever that is by then', async () => {
    const list = await aList(service)
    const id = await aContact(service)
    await service.call('POST', `lists/${list}/contacts`, { contactIds: [id] })
    await service.stopWorkers()
    try {
      const audiences: [Condition[], string | null][] = [
        [[{ list }], 'LEFT_LIST'],
        [[{ all: [{ list }, { any: [{ tag: 'x' }, { not: { tag: 'y' } }] }] }], 'LEFT_LIST'],
        [[{ list }, { all: [{ list }, { tag: 'x' }] }], 'LEFT_LIST'],
        [[{ any: [{ not: { list } }, { list }] }], null],
        [[{ list }, { not: { tag: 'x' } }], null],
      ]
      for (const [conditions, left] of audiences) {
        const segmentIds: string[] = []
        for (const condition of conditions)
          segmentIds.push((await service.call('POST', 'segments', { name: 'In it', condition })).body.data.id as string)
        const said = { name: 'n', subject: 'News', text: 'x', audience: { segmentIds } }
        const { id: campaign } = (await service.call('POST', 'campaigns', said)).body.data as { id: string }
        await sql(
          em(),
          `update campaigns set status = 'SENDING', started_at = now(), last_place = (select max(place) from contacts) where id = $1`,
          [campaign],
        )
        const to = { listIds: [], conditions, excludedListIds: [], excludedConditions: [] }
        const from = { id: campaign, workspaceId: service.workspaceId, cursor: 0, abTest: null }
        assert.equal((await queuePage(em(), from, to, null))?.walked, true)
        for (const segment of segmentIds)
          assert.equal((await service.call('DELETE', `segments/${segment}`)).status, 200, 'it is walked')
        const due = async () => (await dueOf(service, campaign)).get(id)
        assert.equal(await due(), null)
        await sql(em(), 'delete from list_members where list_id = $1', [list])
        // It was begun before the campaign, and has waited.
        await sql(em(), `insert into list_opt_outs values ($1, $2, now() - interval '1 hour')`, [list, id])
        assert.equal(await due(), left, JSON.stringify(conditions))
        await sql(em(), 'delete from list_opt_outs where list_id = $1', [list])
        await sql(em(), 'insert into list_members (list_id, contact_id) values ($1, $2)', [list, id])
        await sql(em(), `update campaigns set status = 'CANCELLED' where id = $1`, [campaign])
      }
    } finally {
      await service.startWorker()
    }
  })

  it('is that she wants no mail, in a row of a file that fails, while she signs up: counted when others see it', async () => {
    const email = 'her@fails.example.com'
    const { id } = (await service.call('POST', 'imports', { name: 'x.csv' })).body.data as { id: string }
    const bytes = Buffer.from(`email,unsubscribed\n${email},true,oops\n`)
    const consents = async () =>
      (await sql<{ consents: number }>(em(), 'select consents from contacts where email = $1', [email]))[0]!.consents
    const call = newCall()
    let looked = 0
    await unitOf(em()).transactional(async (unit) => {
      const piece = { position: 0, bytes, isLast: true }
      assert.equal((await takePiece({ em: unit }, service.workspaceId, id, piece, call)).suppressed, 1)
      assert.equal((await service.call('POST', 'contacts', { email })).status, 201)
      looked = await consents()
    })
    assert.equal(await consents(), looked, 'before it is there to be seen')
    for (const run of call.afterCommit) await run()
    assert.ok((await consents()) > looked, 'whoever looked at her before may claim')
  })

  it('is that she has left, by the segment of those with whom she was written down', async () => {
    const list = await aList(service)
    const [first, second] = [await aContact(service), await aContact(service)]
    await service.call('POST', `lists/${list}/contacts`, { contactIds: [first, second] })
    await service.call('POST', `contacts/${second}/tags`, { tags: ['x'] })
    const said = { name: 'n', subject: 'News', text: 'x', audience: { listIds: [list] } }
    const { id } = (await service.call('POST', 'campaigns', said)).body.data as { id: string }
    await service.stopWorkers()
    try {
      const placeOf = async (contact: string) =>
        (await sql<{ place: number }>(em(), 'select place::float8 from contacts where id = $1', [contact]))[0]!.place
      await sql(
        em(),
        `update campaigns set status = 'SENDING', started_at = now(), cursor = $2, last_place = $3, audience = $4::jsonb where id = $1`,
        [id, (await placeOf(first)) - 1, await placeOf(second), JSON.stringify({ listIds: [], segmentIds: [newId()] })],
      )
      const nobody = { listIds: [], excludedListIds: [], excludedConditions: [] }
      const walk = async (cursor: number, condition: Condition, most: number) => {
        await sql(em(), 'update campaigns set last_place = $2, walked = false where id = $1', [id, most])
        const of = { id, workspaceId: service.workspaceId, cursor, abTest: null }
        return queuePage(em(), of, { ...nobody, conditions: [condition] }, null)
      }
      const page = await walk((await placeOf(first)) - 1, { list }, await placeOf(first))
      await walk(page!.cursor, { tag: 'x' }, await placeOf(second))
      for (const contact of [first, second]) {
        await sql(em(), 'delete from list_members where contact_id = $1', [contact])
        await sql(em(), 'insert into list_opt_outs values ($1, $2)', [list, contact])
      }
      const by = await dueOf(service, id)
      assert.deepEqual([by.get(first), by.get(second)], ['LEFT_LIST', null])
    } finally {
      await sql(em(), `update campaigns set status = 'CANCELLED' where id = $1`, [id])
      await service.startWorker()
    }
  })

  it('is that somebody knows her, by putting her into a list that asks nothing', async () => {
    const asking = await askingList()
    const plain = await aList(service)
    const automations = [
      await anAutomation(service, { trigger: 'SIGNUP', steps: [EMAIL] }),
      await anAutomation(service, { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'known' }, steps: [EMAIL] }),
    ]
    const ways: Record<string, (email: string, id: string) => Promise<{ status: number }>> = {
      list: (_email, id) => service.call('POST', `lists/${plain}/contacts`, { contactIds: [id] }),
      contact: (email) => service.call('POST', 'contacts', { email, listId: plain }),
      bulk: (email) => service.call('POST', 'contacts/bulk', { contacts: [{ email, listId: plain, tags: ['more'] }] }),
    }
    for (const [way, put] of Object.entries(ways)) {
      const email = `${way}@knows.example.com`
      const { id } = (await service.call('POST', 'contacts', { email, listId: asking })).body.data as { id: string }
      await service.call('POST', `contacts/${id}/tags`, { tags: ['known'] })
      assert.equal(await signUps(id), 0)
      for (let time = 0; time < 2; time += 1) assert.ok((await put(email, id)).status < 300)
      const events = await sql<{ type: string }>(
        em(),
        `select type from trigger_events where contact_id = $1 and type <> 'LIST_REQUESTED' order by type`,
        [id],
      )
      assert.deepEqual(
        events.map(({ type }) => type),
        ['SIGNUP', 'TAG_ADDED'],
        way,
      )
    }
    for (const id of automations) await service.call('DELETE', `automations/${id}`)
  })

  it('by two who turn off what asks for a list is refused to one of them', async () => {
    const asks = (list: string) =>
      anAutomation(service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list }, steps: [ASKS] })
    for (let n = 0; n < 4; n += 1) {
      const list = await aList(service)
      const two = [await asks(list), await asks(list)]
      await service.call('PATCH', `lists/${list}`, { doubleOptIn: true })
      const turnOff = (id: string) =>
        n % 2 === 0
          ? service.call('DELETE', `automations/${id}`)
          : service.call('PATCH', `automations/${id}`, { status: 'ARCHIVED' })
      const answers = await Promise.all(two.map(turnOff))
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
    }
  })
})
