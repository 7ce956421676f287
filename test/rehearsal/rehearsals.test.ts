import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { enqueueRehearsal } from '../../src/outbox/index.ts'
import { advanceRehearsal } from '../../src/rehearsal/advance-rehearsal.ts'
import { deleteOldRehearsals } from '../../src/rehearsal/store-queries.ts'
import { aContact, aList, anAutomation, EMAIL, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { lockWaits, lockWith } from '../support/locks.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const DAY = 24 * 60
const START = '2027-03-01T09:00:00.000Z'
/** More than one page of contacts. */
const CONTACTS = 1_100

interface Read {
  status: string
  done: number
  entered: number
  refused: unknown
  emails: number
  days: unknown
  suppressed: unknown
  ends: unknown
  current: { differences: unknown }
  problem: string | null
}

interface Entry {
  at: string
  type: string
  branch: string | null
  suppressedBy: string | null
  eventName: string | null
  status: string | null
}

describe('rehearsals in the API', () => {
  let own: Service
  let other: Service
  let automationId: string
  let vips: string
  let ada: string

  before(async () => {
    own = await openWorkspace()
    other = await openWorkspace({ worker: false })
    ada = await aContact(own, { email: 'ada@example.com', firstName: 'Ada', metadata: { plan: 'free' }, tags: ['vip'] })
    await aContact(own, { email: 'gone@example.com', tags: ['vip'] })
    await own.call('POST', 'suppressions', { email: 'gone@example.com', reason: 'UNSUBSCRIBED' })
    vips = (await own.call('POST', 'segments', { name: 'VIPs', condition: { tag: 'vip' } })).body.data.id
    automationId = await anAutomation(own, {
      trigger: 'EVENT',
      triggerConfig: { eventName: 'signed.up' },
      steps: [
        { ...EMAIL, subject: 'Hello {{ contact.firstName }}', name: 'Hello' },
        wait(3 * DAY),
        {
          type: 'WAIT_FOR_EVENT',
          eventName: 'order.placed',
          timeoutMinutes: 10 * DAY,
          received: [{ ...EMAIL, subject: 'Thanks', name: 'Thanks' }],
          timedOut: [
            { type: 'UPDATE_CONTACT', set: { firstName: 'Dear' }, addTags: ['quiet'] },
            { ...EMAIL, subject: 'We miss you, {{ contact.firstName }}', name: 'Miss' },
          ],
        },
      ],
    })
  })

  const rehearse = (body: object, service = own, id = automationId) =>
    service.call('POST', `automations/${id}/rehearse`, body)
  const shown = (entries: Entry[]) =>
    entries.map(({ at, type, branch, suppressedBy, eventName, status }) =>
      [at.slice(0, 16), type, branch ?? suppressedBy ?? eventName ?? status].filter(Boolean).join(' '),
    )
  const whenDone = (id: string): Promise<Read> =>
    eventually('it is done', async (): Promise<Read | undefined> => {
      const found = (await own.call('GET', `rehearsals/${id}`)).body.data as Read
      return found.status === 'DONE' ? found : undefined
    })
  const rowsOf = async (table: string) =>
    (
      await sql<{ count: number }>(
        own.context.orm.em.fork(),
        `select count(*)::integer as count from ${table} where workspace_id = $1`,
        [own.workspaceId],
      )
    )[0]!.count

  const storeContacts = ({ context, workspaceId }: Service) =>
    sql(
      context.orm.em.fork(),
      `insert into contacts (id, workspace_id, email, email_key, metadata)
       select gen_random_uuid(), $1::uuid, n || '@example.com', n || '@example.com', '{}' from generate_series(1, $2::integer) n`,
      [workspaceId, CONTACTS],
    )

  it('returns what would happen to a contact, with the emails as they would get them', async () => {
    const { status, body } = await rehearse({ contactId: 'ada@example.com', startAt: START })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(shown(body.data.timeline), [
      '2027-03-01T09:00 ENTERED',
      '2027-03-01T09:00 EMAIL',
      '2027-03-01T09:00 WAIT',
      '2027-03-04T09:00 WAIT',
      '2027-03-14T09:00 BRANCH timedOut',
      '2027-03-14T09:00 CHANGE',
      '2027-03-14T09:00 EMAIL',
      '2027-03-14T09:00 ENDED COMPLETED',
    ])
    assert.deepEqual(
      (body.data.rendered as { subject: string; at: string }[]).map(({ subject, at }) => [subject, at]),
      [
        ['Hello Ada', START],
        ['We miss you, Dear', '2027-03-14T09:00:00.000Z'],
      ],
    )
    assert.deepEqual([body.data.outcome, body.data.emails, body.data.current], ['COMPLETED', 2, undefined])
    // The contact stays as it is.
    const { body: contact } = await own.call('GET', `contacts/${ada}`)
    assert.deepEqual([contact.data.firstName, contact.data.tags], ['Ada', ['vip']])
  })

  it('supposes events, and stops at the end of the period', async () => {
    const events = [{ eventName: 'Order.Placed', afterMinutes: 5 * DAY, data: { total: 3 } }]
    const { body } = await rehearse({ contactId: ada, startAt: START, events })
    assert.deepEqual(shown(body.data.timeline).slice(3), [
      '2027-03-04T09:00 WAIT',
      '2027-03-06T09:00 EVENT order.placed',
      '2027-03-06T09:00 BRANCH received',
      '2027-03-06T09:00 EMAIL',
      '2027-03-06T09:00 ENDED COMPLETED',
    ])
    // An event at the end of a wait still counts.
    const atEnd = [{ eventName: 'order.placed', afterMinutes: 3 * DAY }]
    const { body: late } = await rehearse({ contactId: ada, startAt: START, events: atEnd })
    assert.equal(shown(late.data.timeline)[3], '2027-03-04T09:00 BRANCH received')
    const { body: short } = await rehearse({ contactId: ada, startAt: START, days: 2 })
    assert.equal(shown(short.data.timeline).at(-1), '2027-03-03T09:00 UNFINISHED')
  })

  it('names why an email is not sent, and why a contact does not enter', async () => {
    const { body } = await rehearse({ contactId: 'gone@example.com', startAt: START })
    assert.equal(shown(body.data.timeline)[1], '2027-03-01T09:00 EMAIL UNSUBSCRIBED')
    assert.deepEqual([body.data.emails, body.data.rendered], [0, []])
    const entry = { filter: { metadata: 'plan', is: 'equal', value: 'pro' } }
    const { body: refused } = await rehearse({ contactId: ada, entry })
    assert.deepEqual([refused.data.outcome, refused.data.version], ['FILTER', null])
  })

  it('rehearses steps that are not published beside the current version', async () => {
    const { body } = await rehearse({ contactId: ada, startAt: START, steps: [{ ...EMAIL, subject: 'Only one' }] })
    assert.deepEqual([body.data.emails, body.data.current.difference, body.data.current.version], [1, -1, 1])
    assert.equal((await own.call('GET', `automations/${automationId}`)).body.data.steps.length, 3)
    const id = '8d5e957f-297f-4d3c-9b1a-5f0c2d8b7a11'
    const { body: added } = await rehearse({ contactId: ada, startAt: START, steps: [{ ...EMAIL, id }] })
    assert.equal((added.data.timeline as { stepId: string | null }[])[1]!.stepId, id)
    const { status, body: broken } = await rehearse({ contactId: ada, steps: [{ ...EMAIL, subject: '{{' }] })
    assert.equal(status, 400, JSON.stringify(broken))
  })

  it('compares nothing with an automation that was never active', async () => {
    const id = await anAutomation(own, { status: 'DRAFT', steps: [] })
    const steps = [EMAIL]
    const { body } = await own.call('POST', `automations/${id}/rehearse`, { contactId: ada, steps })
    assert.deepEqual([body.data.emails, body.data.current], [1, undefined])
  })

  it('rehearses a segment in the background, and lists its contacts', async () => {
    const steps = [{ ...EMAIL, subject: 'Only one' }]
    const { status, body } = await rehearse({ segmentId: vips, startAt: START, steps })
    assert.equal(status, 202, JSON.stringify(body))
    assert.deepEqual([body.data.status, body.data.total], ['RUNNING', 2])
    const done = await whenDone(String(body.data.id))
    assert.deepEqual(
      [done.done, done.entered, done.emails, done.days, done.suppressed, done.ends],
      [
        ...[2, 2, 1, [{ day: '2027-03-01', emails: 1, limit: null }]],
        ...[[{ reason: 'UNSUBSCRIBED', emails: 1 }], [{ status: 'COMPLETED', enrollments: 2 }]],
      ],
    )
    assert.deepEqual(done.current.differences, [
      { difference: -1, contacts: 1 },
      { difference: 0, contacts: 1 },
    ])
    const { body: fewer } = await own.call('GET', `rehearsals/${body.data.id}/contacts?difference=-1`)
    assert.deepEqual(
      (fewer.data as unknown as { email: string; emails: number }[]).map(({ email, emails }) => [email, emails]),
      [['ada@example.com', 1]],
    )
    assert.equal(await rowsOf('messages'), 0)
    assert.equal(await rowsOf('enrollments'), 0)
  })

  it('replays the last days: contacts enter when something started the automation', async () => {
    const contactId = await aContact(own, { email: 'replayed@example.com' })
    await own.call('POST', `contacts/${contactId}/events`, { name: 'signed.up' })
    await own.call('POST', `contacts/${contactId}/events`, { name: 'order.placed' })
    const move = (name: string, days: number) =>
      sql(
        own.context.orm.em.fork(),
        `update trigger_events set created_at = now() - make_interval(days => $3) where contact_id = $1 and name = $2`,
        [contactId, name, days],
      )
    await move('signed.up', 20)
    await move('order.placed', 18)
    const { body } = await rehearse({ replayDays: 30 })
    const done = await whenDone(String(body.data.id))
    assert.deepEqual([done.entered, done.refused], [1, [{ rule: 'NOT_TRIGGERED', contacts: 2 }]])
    const { body: list } = await own.call('GET', `rehearsals/${body.data.id}/contacts?outcome=COMPLETED`)
    // The order came during the first wait, so the wait for it ends at once.
    assert.deepEqual(
      (list.data as unknown as { timeline: Entry[] }[])[0]!.timeline.map(({ type, branch }) => branch ?? type),
      ['ENTERED', 'EMAIL', 'WAIT', 'received', 'EMAIL', 'ENDED'],
    )
  })

  it('replays what starts automations of lists, each enrollment once', async () => {
    const listId = await aList(own)
    const joined = await anAutomation(own, {
      trigger: 'LIST_ADDED',
      triggerConfig: { listId },
      entry: { reentry: 'ONCE' },
      steps: [{ ...EMAIL, subject: 'Joined' }],
    })
    const contactId = await aContact(own, { email: 'joined@example.com' })
    for (let times = 0; times < 2; times += 1) {
      await own.call('POST', `lists/${listId}/contacts`, { contactId })
      await own.call('DELETE', `lists/${listId}/contacts/${contactId}`)
    }
    const { body } = await rehearse({ replayDays: 1 }, own, joined)
    const done = await whenDone(String(body.data.id))
    assert.deepEqual([done.entered, done.emails], [1, 1])
    assert.deepEqual(done.refused, [{ rule: 'NOT_TRIGGERED', contacts: 3 }])
  })

  it('goes through pages, continues after a stop, and can be cancelled', async () => {
    const crowd = await openWorkspace({ worker: false })
    const em = crowd.context.orm.em
    await storeContacts(crowd)
    const id = await anAutomation(crowd, { steps: [EMAIL, wait(DAY), EMAIL] })
    const start = async () => (await rehearse({ startAt: START }, crowd, id)).body.data.id as string
    const first = await start()
    const read = async (each: string) => (await crowd.call('GET', `rehearsals/${each}`)).body.data as unknown as Read
    assert.equal(await advanceRehearsal(em, first), true)
    assert.deepEqual([(await read(first)).done, (await read(first)).emails], [500, 1_000])
    // A worker that stopped after it had rehearsed the page, and one that is slow, do not count it twice, and neither ends it.
    const both = [advanceRehearsal(em, first), advanceRehearsal(em, first)]
    assert.deepEqual(await Promise.all(both), [true, true])
    assert.equal((await read(first)).done, 1_000)
    assert.equal(await advanceRehearsal(em, first), false)
    const done = await read(first)
    assert.deepEqual([done.status, done.done, done.emails], ['DONE', CONTACTS, 2 * CONTACTS])
    assert.equal((await crowd.call('GET', `rehearsals/${first}/contacts?limit=100&page=11`)).body.data.length, 100)

    const second = await start()
    await advanceRehearsal(em, second)
    const { body: cancelled } = await crowd.call('POST', `rehearsals/${second}/cancel`)
    assert.deepEqual([cancelled.data.status, cancelled.data.done], ['CANCELLED', 500])
    assert.equal(await advanceRehearsal(em, second), false)
    assert.equal((await crowd.call('POST', `rehearsals/${second}/cancel`)).refused, '409 rehearsal_not_running')
    // No more than three run at a time.
    const started = await Promise.all(Array.from({ length: 5 }, () => rehearse({}, crowd, id)))
    const refused = started.map((answer) => answer.refused ?? 'started').toSorted()
    assert.deepEqual(refused, [...Array(2).fill('409 too_many_rehearsals'), ...Array(3).fill('started')])

    // A contact who is erased leaves nothing.
    const [contact] = await sql<{ id: string }>(
      em.fork(),
      'select contact_id as id from rehearsed_contacts where rehearsal_id = $1',
      [first],
    )
    await sql(em.fork(), 'delete from contacts where id = $1', [contact!.id])
    assert.equal((await crowd.call('GET', `rehearsals/${first}/contacts`)).body.pagination.total, CONTACTS - 1)
    await sql(em.fork(), `update rehearsals set created_at = now() - interval '8 days' where id = $1`, [first])
    // In pages, because each contact has a row.
    let pages = 0
    while ((await deleteOldRehearsals(em.fork(), 500)) > 0) pages += 1
    assert.equal(pages, 3)
    assert.equal((await crowd.call('GET', `rehearsals/${first}`)).refused, '404 rehearsal_not_found')
  })

  it('leaves out a contact who is erased while their page is rehearsed', async () => {
    const erased = await openWorkspace({ worker: false })
    const em = erased.context.orm.em
    const [gone] = [await aContact(erased), await aContact(erased), await aContact(erased)]
    const { body } = await rehearse({ startAt: START }, erased, await anAutomation(erased))
    const id = String(body.data.id)
    const commit = await lockWith(em, 'delete from contacts where id = $1::uuid', [gone])
    const advancing = advanceRehearsal(em, id)
    await lockWaits(em, 1, '%from contacts%for key share%')
    await commit()
    assert.equal(await advancing, false)
    const { body: rehearsal } = await erased.call('GET', `rehearsals/${id}`)
    assert.equal(rehearsal.data.status, 'DONE')
    const { body: list } = await erased.call('GET', `rehearsals/${id}/contacts`)
    const ids = (list.data as unknown as { contactId: string }[]).map(({ contactId }) => contactId)
    assert.deepEqual([ids.length, ids.includes(gone)], [2, false])
  })

  it('fails after five attempts at a page, with its problem', async () => {
    const em = own.context.orm.em
    const id = String((await rehearse({ segmentId: vips })).body.data.id)
    await whenDone(id)
    const jobs = () => sql(em.fork(), 'select from outbox where rehearsal_id = $1::uuid', [id])
    await eventually('its job is over', async () => (await jobs()).length === 0 || undefined)
    await em.fork().transactional(async (unit) => {
      await sql(
        unit,
        `update rehearsals set status = 'RUNNING', done = 0, after_id = '00000000-0000-0000-0000-000000000000',
           plan = jsonb_set(plan, '{rehearsed,steps}', 'null')
         where id = $1::uuid`,
        [id],
      )
      await enqueueRehearsal(unit, { id, workspaceId: own.workspaceId })
    })
    const attempts = new Set<number>()
    const failed = await eventually('it fails', async () => {
      const [delivery] = await sql<{ attempts: number }>(
        em.fork(),
        'update outbox set due_at = now() where rehearsal_id = $1::uuid returning attempts',
        [id],
      )
      if (delivery) attempts.add(delivery.attempts)
      const found = (await own.call('GET', `rehearsals/${id}`)).body.data as unknown as Read
      return found.status === 'RUNNING' ? undefined : found
    })
    assert.deepEqual(
      [failed.status, failed.done, failed.problem],
      ['FAILED', 0, 'A page of contacts could not be rehearsed. The log of the worker has the error.'],
    )
    assert.ok([5, 6].includes(Math.max(...attempts)), [...attempts].join())
  })

  it('compares the emails of each day with the warm-up', async () => {
    const { browser } = await aMember(own, 'owner')
    const { workspaceId } = own
    const body = { perDay: 50, growthPercent: 20, upTo: 200 }
    const set = await browser.ask('PUT', 'sender/warm-up', { workspaceId, body })
    assert.equal(set.status, 200, JSON.stringify(set.body))
    const { since } = (set.body.data as { warmUp: { since: string } }).warmUp
    const dayAfter = (days: number) => new Date(Date.parse(since) + days * DAY * 60_000).toISOString().slice(0, 10)
    const steps = [EMAIL, wait(2 * DAY), EMAIL, wait(7 * DAY), EMAIL]
    const { body: started } = await rehearse({ segmentId: vips, startAt: `${since}T12:00:00Z`, steps })
    const { days } = await whenDone(String(started.data.id))
    // After 8 days, 215 would be more than 200, and the warm-up is complete.
    assert.deepEqual(days, [
      { day: since, emails: 1, limit: 50 },
      { day: dayAfter(2), emails: 1, limit: 72 },
      { day: dayAfter(9), emails: 1, limit: null },
    ])
    await browser.ask('DELETE', 'sender/warm-up', { workspaceId })
  })

  it('supposes an event for a share of the audience: the same contacts in each rehearsal', async () => {
    const crowd = await openWorkspace({ worker: false })
    const em = crowd.context.orm.em
    await storeContacts(crowd)
    const id = await anAutomation(crowd, {
      steps: [
        { type: 'WAIT_FOR_EVENT', eventName: 'order.placed', timeoutMinutes: DAY, received: [EMAIL], timedOut: [] },
      ],
    })
    const thankedWith = async (share: number) => {
      const { body } = await rehearse({ events: [{ eventName: 'order.placed', afterMinutes: 60, share }] }, crowd, id)
      while (await advanceRehearsal(em, String(body.data.id)));
      const rows = await sql<{ id: string }>(
        em.fork(),
        'select contact_id as id from rehearsed_contacts where rehearsal_id = $1::uuid and emails = 1',
        [body.data.id],
      )
      return new Set(rows.map((row) => row.id))
    }
    const none = await thankedWith(0)
    const few = await thankedWith(0.2)
    const again = await thankedWith(0.2)
    const more = await thankedWith(0.5)
    const all = await thankedWith(1)
    assert.deepEqual([none.size, all.size], [0, CONTACTS])
    // 220 with a deviation of 13: at most 5 deviations away.
    assert.ok(few.size > 155 && few.size < 285, String(few.size))
    assert.deepEqual(again, few)
    assert.ok([...few].every((each) => more.has(each)))
  })

  it('is closed to other workspaces, and to keys that may not read contacts', async () => {
    assert.equal((await rehearse({}, other)).status, 404)
    assert.equal((await rehearse({ contactId: ada }, other, await anAutomation(other))).status, 404)
    assert.equal((await rehearse({ segmentId: vips }, other, await anAutomation(other))).status, 404)
    const { body } = await rehearse({ segmentId: vips })
    for (const path of ['', '/contacts']) {
      const { status } = await other.call('GET', `rehearsals/${body.data.id}${path}`)
      assert.equal(status, 404)
    }
    assert.equal((await other.call('POST', `rehearsals/${body.data.id}/cancel`)).status, 404)
    const key = await own.newKey({ workspaceId: own.workspaceId, scopes: ['automations:read'] })
    const ask = (method: string, path: string, given?: object) => own.call(method, path, given, { key })
    assert.equal((await ask('POST', `automations/${automationId}/rehearse`, {})).refused, '403 scope_missing')
    for (const path of ['', '/contacts'])
      assert.equal((await ask('GET', `rehearsals/${body.data.id}${path}`)).refused, '403 scope_missing')
    assert.equal((await ask('POST', `rehearsals/${body.data.id}/cancel`)).refused, '403 scope_missing')
    assert.equal((await rehearse({ version: 99 })).refused, '404 version_not_found')
  })
})
