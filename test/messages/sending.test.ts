import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { claimMessage, deferMessage, type ClaimAs } from '../../src/messages/claim-queries.ts'
import { draftMessage, holdEnrollment } from '../../src/messages/draft-queries.ts'
import { recordOutcome } from '../../src/messages/record-queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { outcomeOf } from '../../src/messages/sending.ts'
import { newId } from '../../src/platform/ids.ts'
import { aContact, activityOf, addressOf, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const CONNECTIONS = 3
const CONTACTS = 12

describe('sending beside a slow mail server', () => {
  let service: Service
  let sink: SmtpSink
  /** Messages that the server has and has not answered for. */
  let held: (() => void)[]
  let holding: boolean

  beforeEach(async () => {
    held = []
    holding = true
    sink = await startSmtpSink(() => (holding ? new Promise<void>((answer) => held.push(answer)) : undefined))
    service = await startService({ env: { SMTP_URL: sink.url, SMTP_CONNECTIONS: String(CONNECTIONS) } })
  })
  afterEach(async () => {
    release()
    await service.stop()
    await sink.close()
  })

  const release = () => {
    holding = false
    for (const answer of held.splice(0)) answer()
  }
  const em = () => service.context.orm.em.fork()
  const waits = () => delay(1_000, 'waits')
  /** Has the answer to the next statement of that name come late. */
  function lateAnswer(name: string, ms: number) {
    const prototype = Client.prototype as unknown as { query: (...of: unknown[]) => Promise<unknown> }
    const { query } = prototype
    const claimed = Promise.withResolvers<void>()
    const heard = Promise.withResolvers<void>()
    const restore = () => (prototype.query = query)
    prototype.query = async function (this: unknown, ...of) {
      const answer = await query.apply(this, of)
      if ((of[0] as { name?: string } | undefined)?.name !== name) return answer
      restore()
      claimed.resolve()
      await delay(ms)
      heard.resolve()
      return answer
    }
    return { claimed: claimed.promise, heard: heard.promise, restore }
  }
  const statuses = async () => {
    const rows = await sql<{ status: string; count: number }>(
      em(),
      'select status, count(*)::integer as count from messages group by status',
    )
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  }
  const many = async (fields: object = {}) => {
    const automationId = await anAutomation(service, { steps: [EMAIL], ...fields })
    for (let n = 0; n < CONTACTS; n += 1) await enroll(service, automationId, await aContact(service))
    await eventually('every connection is busy', () => (held.length === CONNECTIONS ? true : undefined))
    return automationId
  }

  it('claims no more messages than it has connections', async () => {
    await many()
    assert.deepEqual(await statuses(), { SENDING: CONNECTIONS })
    release()
    await eventually('all are sent', async () => ((await statuses())['SENT'] === CONTACTS ? true : undefined))
    assert.equal(sink.mails.length, CONTACTS)
  })

  it('finishes what is being handed over when it stops, and leaves the rest to the next one', async () => {
    await many()
    const stopped = service.stopWorkers()
    // The server answers while the worker is stopping.
    setTimeout(release, 500)
    await stopped
    const after = await statuses()
    assert.equal(after['UNCONFIRMED'] ?? 0, 0)
    assert.equal(after['SENDING'] ?? 0, 0)
    await service.startWorker()
    await eventually('all are sent', async () => ((await statuses())['SENT'] === CONTACTS ? true : undefined), 60_000)
    assert.equal(sink.mails.length, CONTACTS)
    assert.equal(new Set(sink.mails.flatMap(({ to }) => to)).size, CONTACTS)
  })

  it('mails nobody after the answer of a DELETE', async () => {
    const automationId = await many()
    assert.equal((await service.call('DELETE', `automations/${automationId}`)).refused, '503 still_sending')
    assert.equal(sink.mails.length, CONNECTIONS)
    release()
    await eventually('the DELETE is answered', async () => {
      const { status } = await service.call('DELETE', `automations/${automationId}`)
      return status === 200 || status === 404 ? true : undefined
    })
    const mailed = sink.mails.length
    await eventually('every workflow has ended', async () => {
      for await (const { status } of service.context.temporal.workflow.list({
        query: `AutomationId="${automationId}"`,
      })) {
        if (status.name === 'RUNNING') return undefined
      }
      return true
    })
    assert.equal(mailed, CONNECTIONS)
    assert.equal(sink.mails.length, CONNECTIONS)
  })

  it('answers a pause when what was being handed over is there, and mails nobody after', async () => {
    const automationId = await many()
    const paused = service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await eventually('it is paused', async () => {
      const { body } = await service.call('GET', `automations/${automationId}`)
      return (body.data as { status: string }).status === 'PAUSED' ? true : undefined
    })
    assert.equal(await Promise.race([paused.then(() => 'answered'), Promise.resolve('waits')]), 'waits')
    release()
    assert.equal((await paused).status, 200)
    assert.equal(sink.mails.length, CONNECTIONS)
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    await eventually('everybody is mailed', () => (sink.mails.length === CONTACTS ? true : undefined))
  })

  it('answers a repeated pause no sooner than the first', async () => {
    const automationId = await many()
    const headers = { 'idempotency-key': 'a-pause' }
    const pause = () => service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' }, { headers })
    const first = pause()
    await eventually('it is paused', async () => {
      const { body } = await service.call('GET', `automations/${automationId}`)
      return (body.data as { status: string }).status === 'PAUSED' ? true : undefined
    })
    const repeated = pause()
    assert.equal(await Promise.race([repeated.then(() => 'answered'), waits()]), 'waits')
    release()
    assert.equal((await first).status, 200)
    const again = await repeated
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
  })

  it('begins nothing after the answer of a pause, however late it hears of its claim', async () => {
    holding = false
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    // Its answer is longer under way than whoever pauses waits.
    const late = lateAnswer('claim-message', 3_700)
    try {
      await enroll(service, automationId, await aContact(service))
      await late.claimed
      assert.equal((await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })).status, 200)
      await late.heard
      await eventually('it is put off', async () => ((await statuses())['DEFERRED'] === 1 ? true : undefined))
      assert.equal(sink.mails.length, 0)
    } finally {
      late.restore()
    }
  })

  it('keeps no connection to Postgres while deletions and erasures wait for it', async () => {
    const contacts = await Promise.all(Array.from({ length: CONNECTIONS }, () => aContact(service)))
    const automations = await Promise.all(contacts.map(() => anAutomation(service, { steps: [EMAIL] })))
    for (const [n, contactId] of contacts.entries()) await enroll(service, automations[n]!, contactId)
    await eventually('every connection is busy', () => (held.length === CONNECTIONS ? true : undefined))
    const waiting = Array.from({ length: 10 }, () => [
      ...contacts.map((id) => service.call('DELETE', `contacts/${id}`)),
      ...automations.map((id) => service.call('DELETE', `automations/${id}`)),
    ]).flat()
    const others = await Promise.all(Array.from({ length: 30 }, () => service.call('GET', 'contacts')))
    assert.ok(others.every(({ status }) => status === 200))
    const answers = await Promise.all(waiting)
    assert.ok(answers.every(({ status }) => status === 503 || status === 404))
    release()
    for (const [n, id] of contacts.entries()) {
      await eventually('it is erased', async () =>
        (await service.call('DELETE', `contacts/${id}`)).status === 503 ? undefined : true,
      )
      await eventually('it is deleted', async () =>
        (await service.call('DELETE', `automations/${automations[n]}`)).status === 503 ? undefined : true,
      )
    }
    await eventually('nothing is left of them', async () => {
      const [row] = await sql<{ count: number }>(em(), 'select count(*)::integer as count from messages')
      return row?.count === 0 ? true : undefined
    })
    assert.equal(sink.mails.length, CONNECTIONS)
  })
})

describe('a claim', () => {
  let service: Service
  before(async () => {
    service = await startService({ worker: false })
  })
  after(() => service.stop())
  const em = () => service.context.orm.em.fork()

  async function aStep(fields: object = {}) {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, fields)
    await enroll(service, automationId, contactId)
    const { body } = await service.call('GET', `automations/${automationId}`)
    const [row] = await sql<{ id: string }>(em(), 'select id from enrollments where contact_id = $1::uuid', [contactId])
    const key = { enrollmentId: row!.id, stepId: body.data.steps[0].id as string, visit: 0 }
    const recipient = await addressOf(service, contactId)
    const attempt = (attempts: number) => ({
      key,
      automationId,
      messageId: newId(),
      claim: newId(),
      attempts,
      holds: 0,
    })
    const claim = (of: ReturnType<typeof attempt>, as: ClaimAs = { status: 'SENDING' }) =>
      claimMessage(em(), { recipient, consents: 0, header: '<of-a-test@example.com>', ...of, as })
    const status = async () => (await activityOf(service, contactId))[0]?.status
    return { key, automationId, contactId, attempt, claim, status }
  }

  it('of an attempt that looked before the address was changed fails, and the next one has the new address', async () => {
    const { attempt, claim, contactId, key, automationId } = await aStep()
    await service.call('PATCH', `contacts/${contactId}`, { email: 'moved@example.com' })
    assert.equal(await claim(attempt(0)), undefined)
    const draft = await draftMessage(em(), key, automationId)
    assert.equal(draft.kind === 'ready' && draft.contact.email, 'moved@example.com')
  })

  it('of an attempt that looked before its contact unsubscribed fails, and so does one that looked before a receipt', async () => {
    const { attempt, claim, contactId, key, automationId } = await aStep({
      steps: [EMAIL, { ...EMAIL, category: 'transactional' }],
    })
    const email = await addressOf(service, contactId)
    await service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' })
    assert.equal(await claim(attempt(0)), undefined)
    const draft = await draftMessage(em(), key, automationId)
    assert.ok(draft.kind === 'ready' && draft.suppressedBy === 'UNSUBSCRIBED' && draft.consents > 0)
  })

  it('of an attempt that was overtaken fails, and says nothing of the other one', async () => {
    const { attempt, claim, status, key, automationId } = await aStep()
    const [old, young, third] = [attempt(0), attempt(0), attempt(1)]
    assert.ok(await claim(young))
    assert.equal(await claim(old), undefined)
    await deferMessage(em(), old, 'it thinks so')
    assert.equal(await status(), 'SENDING')
    assert.deepEqual(await draftMessage(em(), key, automationId), { kind: 'busy' })
    await deferMessage(em(), young, '4xx')
    assert.equal(await status(), 'DEFERRED')
    assert.equal(await claim(old), undefined)
    assert.ok(await claim(third))
  })

  for (const [what, path] of [
    ['the automation is deleted', (ids: { automationId: string }) => `automations/${ids.automationId}`],
    ['the contact is erased', (ids: { contactId: string }) => `contacts/${ids.contactId}`],
  ] as [string, (ids: { automationId: string; contactId: string }) => string][]) {
    it(`whose answer was lost is undone, also when ${what} meanwhile: nothing of it has flowed`, async () => {
      const { attempt, claim, automationId, contactId } = await aStep()
      const only = attempt(0)
      const id = await claim(only)
      // It waits for the hand-over that it takes for one.
      const removed = service.call('DELETE', path({ automationId, contactId }))
      const isRemoved = `select from automations where id = $1::uuid and deleted_at is null and exists
        (select from contacts where contacts.id = $2::uuid)`
      await eventually('it is removed', async () =>
        (await sql(em(), isRemoved, [automationId, contactId])).length === 0 ? true : undefined,
      )
      await deferMessage(em(), only, 'It did not answer ada@example.com in time')
      assert.equal((await removed).status, 200)
      const [row] = await sql<{ status: string; error: string | null }>(
        em(),
        'select status, error from messages where id = $1::uuid',
        [id],
      )
      assert.ok(row === undefined || (row.status === 'DEFERRED' && row.error === null), JSON.stringify(row))
    })
  }

  it('keeps of a mail server’s words nothing that is a command to a terminal', () => {
    const response = '250 \u001b]0;title\u0007\u001b[2Jok\r\nand \u009b31mon'
    assert.deepEqual(outcomeOf({ kind: 'taken', response }), {
      status: 'SENT',
      response: '250  ]0;title  [2Jok \nand  31mon',
    })
  })

  it('of an attempt that looked before a hold fails, and leaves the mark by which the held are told to go on', async () => {
    const { attempt, claim, key, automationId } = await aStep()
    const early = attempt(0)
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    assert.ok(await holdEnrollment(em(), key.enrollmentId, automationId))
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    const isHeld = async () => {
      const [row] = await sql<{ held: boolean }>(em(), 'select held from enrollments where id = $1::uuid', [
        key.enrollmentId,
      ])
      return row?.held
    }
    assert.equal(await claim(early), undefined)
    assert.equal(await isHeld(), true)
    // Nor does one that thought it was paused, and learns that it is not any more.
    assert.equal(await holdEnrollment(em(), key.enrollmentId, automationId), false)
    assert.equal(await isHeld(), true)
    const draft = await draftMessage(em(), key, automationId)
    assert.ok(draft.kind === 'ready' && draft.holds === 1)
    assert.ok(await claim({ ...attempt(0), holds: draft.holds }))
    assert.equal(await isHeld(), false)
  })

  it('whose owner tells that it was not sent, in the moment in which it is taken for dead, is tried again', async () => {
    const { attempt, claim, status, key, automationId } = await aStep()
    const first = attempt(0)
    const id = await claim(first)
    await sql(em(), `update messages set lease_until = now() - interval '1 second' where id = $1::uuid`, [id])
    const isWaitedFor = `select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0 and query like '%SENDING%'`
    const looking = await em().transactional(async (unit) => {
      await recordOutcome(unit, { id: id!, claim: first.claim }, { status: 'DEFERRED', error: 'too late' }, undefined)
      const looking = draftMessage(em(), key, automationId)
      await eventually('it finds the lease over', async () =>
        (await sql(em(), isWaitedFor)).length > 0 ? true : undefined,
      )
      return { looking }
    })
    assert.deepEqual(await looking.looking, { kind: 'busy' })
    assert.equal(await status(), 'DEFERRED')
    assert.ok(await claim(attempt(1)))
  })

  it('that reaches Postgres after its attempt gave up is none', async () => {
    const { attempt, claim, status } = await aStep()
    const late = attempt(0)
    await deferMessage(em(), late, 'the database did not answer in time')
    assert.equal(await claim(late), undefined)
    assert.equal(await status(), 'DEFERRED')
    assert.ok(await claim(attempt(1)))
  })

  it('asked twice, because its answer was lost, is one', async () => {
    const { attempt, claim } = await aStep()
    const one = attempt(0)
    assert.equal(await claim(one), await claim(one))
  })

  it('is refused for a contact who is gone, an automation that is paused, one that is deleted', async () => {
    const erased = await aStep()
    await service.call('DELETE', `contacts/${erased.contactId}`)
    assert.equal(await erased.claim(erased.attempt(0)), undefined)
    const paused = await aStep()
    await service.call('PATCH', `automations/${paused.automationId}`, { status: 'PAUSED' })
    assert.equal(await paused.claim(paused.attempt(0)), undefined)
    const deleted = await aStep()
    await service.call('DELETE', `automations/${deleted.automationId}`)
    assert.equal(await deleted.claim(deleted.attempt(0)), undefined)
  })
})
