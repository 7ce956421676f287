import assert from 'node:assert/strict'
import { pauseEnrollment } from '../../src/enrollments/send-step.ts'
import { outcomeOf } from '../../src/messages/send.ts'
import { dismissDecided } from '../../src/messages/queue-queries.ts'
import { requestRetries, cancelRetriesOf } from '../../src/messages/retry-queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { prepareRetry } from '../support/campaign-claims.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { lockWaits, lockWith } from '../support/locks.ts'
import type { Service } from '../support/service.ts'
import { anAttempt, claimStep, look, prepare, stepOf, storeOf } from '../support/step-claims.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('the claim of a step’s email', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()
  const send = { status: 'SENDING' } as const
  const defer = (attempt: ReturnType<typeof anAttempt>, error: string) =>
    storeOf(service).defer(attempt, error, { dueInSeconds: null })

  async function aStep(fields: object = {}) {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, fields)
    await enroll(service, automationId, contactId)
    const step = await stepOf(service, automationId, contactId)
    const attempt = async () => anAttempt(await prepare(service, step))
    const claim = (of: ReturnType<typeof anAttempt>) => storeOf(service).claim(of, send)
    const status = async () => (await activityOf(service, contactId))[0]?.status
    const isPaused = async () => {
      const query = 'select paused from enrollments where id = $1::uuid'
      return (await sql<{ paused: boolean }>(em(), query, [step.enrollmentId]))[0]?.paused
    }
    return { step, automationId, contactId, attempt, claim, status, isPaused }
  }

  it('fails if the contact’s address changed after the message was prepared', async () => {
    const { attempt, claim, contactId, step } = await aStep()
    const old = await attempt()
    await service.call('PATCH', `contacts/${contactId}`, { email: 'moved@example.com' })
    assert.equal(await claim(old), false)
    assert.equal((await prepare(service, step)).contact.email, 'moved@example.com')
  })

  it('fails if the contact unsubscribed after the message was prepared', async () => {
    // A receipt follows, so that the enrollment continues.
    const { attempt, claim, contactId, step } = await aStep({
      steps: [EMAIL, { ...EMAIL, category: 'transactional' }],
    })
    const old = await attempt()
    const email = await addressOf(service, contactId)
    await service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' })
    assert.equal(await claim(old), false)
    assert.equal((await prepare(service, step)).suppressedBy, 'UNSUBSCRIBED')
  })

  it('fails if another attempt intervened, and does not change its result', async () => {
    const { attempt, claim, status, step } = await aStep()
    const [old, young] = [await attempt(), await attempt()]
    assert.equal(await claim(young), true)
    assert.equal(await claim(old), false)
    await defer(old, 'too late')
    assert.equal(await status(), 'SENDING')
    assert.deepEqual(await look(service, step), { kind: 'busy' })
    await defer(young, '451 later')
    assert.equal(await status(), 'DEFERRED')
    assert.equal(await claim(old), false)
    assert.equal(await claim(await attempt()), true)
  })

  it('lets only one of two concurrent attempts succeed, including for a message without a row', async () => {
    for (const isNew of [true, false]) {
      const { attempt, claim } = await aStep()
      if (!isNew) await defer(await attempt(), '451 later')
      const attempts = [await attempt(), await attempt()]
      const claimed = await Promise.all(attempts.map(claim))
      assert.deepEqual(claimed.toSorted(), [false, true])
    }
  })

  it('fails if it reaches Postgres after its attempt gave up', async () => {
    const { attempt, claim, status } = await aStep()
    const late = await attempt()
    await defer(late, 'The database did not respond in time')
    assert.equal(await claim(late), false)
    assert.equal(await status(), 'DEFERRED')
    assert.equal(await claim(await attempt()), true)
  })

  for (const [what, path] of [
    ['the automation is deleted', (ids: { automationId: string }) => `automations/${ids.automationId}`],
    ['the contact is erased', (ids: { contactId: string }) => `contacts/${ids.contactId}`],
  ] as [string, (ids: { automationId: string; contactId: string }) => string][]) {
    it(`is undone after its response was lost, and stores no personal data, if ${what} in the meantime`, async () => {
      const { step, automationId, contactId } = await aStep()
      const only = await claimStep(service, step)
      // The deletion waits for the message, which seems to be in flight.
      const deleted = service.call('DELETE', path({ automationId, contactId }))
      const isThere = `select from automations where id = $1::uuid and deleted_at is null and exists
        (select from contacts where contacts.id = $2::uuid)`
      await eventually('it is deleted', async () =>
        (await sql(em(), isThere, [automationId, contactId])).length === 0 ? true : undefined,
      )
      await defer(only, 'It did not answer ada@example.com in time')
      assert.equal((await deleted).status, 200)
      const rows = await sql<{ recipient: string | null; subject: string | null }>(
        em(),
        'select recipient, subject from messages where id = $1::uuid',
        [only.message.id],
      )
      for (const row of rows) assert.deepEqual(row, { recipient: null, subject: null })
    })
  }

  it('fails if the automation was paused after the message was prepared, and keeps the mark for the resume', async () => {
    const { attempt, claim, step, automationId, isPaused } = await aStep()
    const early = await attempt()
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    assert.equal(await pauseEnrollment(em(), step), true)
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    assert.equal(await claim(early), false)
    assert.equal(await isPaused(), true)
    // An attempt that saw the pause but finds that it is over does not mark the enrollment.
    assert.equal(await pauseEnrollment(em(), step), false)
    assert.equal(await isPaused(), true)
    assert.equal(await claim(await attempt()), true)
    assert.equal(await isPaused(), false)
  })

  it('clears the mark of a pause, even when the message is finalized without being sent', async () => {
    const { attempt, step, automationId, isPaused } = await aStep()
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    assert.equal(await pauseEnrollment(em(), step), true)
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    const as = { status: 'SUPPRESSED', error: 'The contact has unsubscribed' } as const
    assert.equal(await storeOf(service).claim(await attempt(), as), true)
    assert.equal(await isPaused(), false)
  })

  it('is retried if its owner reports that nothing was sent while another attempt finds the lease expired', async () => {
    const { attempt, claim, status, step } = await aStep()
    const first = await claimStep(service, step)
    const { id } = first.message
    await sql(em(), `update messages set lease_until = now() - interval '1 second' where id = $1::uuid`, [id])
    const update = `update messages set status = 'DEFERRED', lease_until = null where id = $1::uuid`
    const commit = await lockWith(em(), update, [id])
    const looking = look(service, step)
    await lockWaits(em(), 1, '%UNCONFIRMED%')
    await commit()
    assert.deepEqual(await looking, { kind: 'busy' })
    assert.equal(await status(), 'DEFERRED')
    assert.equal(await claim(await attempt()), true)
  })

  it('fails for a contact that is erased and for an automation that is paused or deleted', async () => {
    type Ids = { contactId: string; automationId: string }
    for (const stop of [
      ({ contactId }: Ids) => service.call('DELETE', `contacts/${contactId}`),
      ({ automationId }: Ids) => service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' }),
      ({ automationId }: Ids) => service.call('DELETE', `automations/${automationId}`),
    ]) {
      const { attempt, claim, ...ids } = await aStep()
      const prepared = await attempt()
      await stop(ids)
      assert.equal(await claim(prepared), false)
    }
  })

  it('is not dismissed while it is being sent, even if two operators decide about a dead claim', async () => {
    const { step, status } = await aStep()
    const { message } = await claimStep(service, step)
    assert.equal(await dismissDecided(em(), message.id, 'SENDING'), false)
    assert.equal(await status(), 'SENDING')
  })

  it('shares a statement with concurrent claims of the same automation, each with its own result', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    const store = storeOf(service)
    const attempts = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const contactId = await aContact(service)
        await enroll(service, automationId, contactId)
        return anAttempt(await prepare(service, await stepOf(service, automationId, contactId)))
      }),
    )
    const suppressed = attempts[3]!.message
    const email = await addressOf(service, suppressed.contactId)
    await service.call('POST', 'suppressions', { email, reason: 'MANUAL' })
    const claimed = await Promise.all(attempts.map((attempt) => store.claim(attempt, send)))
    assert.deepEqual(
      claimed,
      attempts.map(({ message }) => message !== suppressed),
    )
  })
})

describe('a retry that is not sent', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()
  interface Row {
    status: string
    recipient: string | null
    sent: boolean
    to_retry: boolean
  }
  const read = async (id: string) => {
    const [row] = await sql<Row>(
      em(),
      `select status, recipient, sent_at is not null as sent, retry_at is not null as to_retry from messages
       where id = $1::uuid`,
      [id],
    )
    return row!
  }

  /** Creates a message with this status at an earlier address of its contact, and requests a retry. */
  async function aRetry(status: 'UNCONFIRMED' | 'CAPTURED') {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    const recipient = await addressOf(service, contactId)
    const { message } = await claimStep(service, await stepOf(service, automationId, contactId))
    await sql(
      em(),
      `update messages set status = $2, recipient = $3, sent_at = case when $2 = 'CAPTURED' then now() end,
         lease_until = null, final_at = now(), retry_at = now()
       where id = $1::uuid`,
      [message.id, status, recipient],
    )
    await service.call('PATCH', `contacts/${contactId}`, { email: `new-${recipient}` })
    const content = {
      messageId: '<of-a-test@example.com>',
      recipient: `new-${recipient}`,
      subject: 'Hello',
      html: null,
      text: 'Hello',
    }
    const attempt = async () => anAttempt((await prepareRetry(service, message.id))!)
    return { id: message.id, recipient, attempt, content, place: { automationId, contactId } }
  }

  it('keeps the recipient of the attempt that may have arrived, if it is suppressed', async () => {
    const { id, recipient, attempt } = await aRetry('UNCONFIRMED')
    const as = { status: 'SUPPRESSED', error: 'The contact has unsubscribed' } as const
    assert.equal(await storeOf(service).claim(await attempt(), as), true)
    assert.deepEqual(await read(id), { status: 'UNCONFIRMED', recipient, sent: false, to_retry: false })
  })

  it('keeps the recipient of the attempt that may have arrived, if it is deferred', async () => {
    const { id, recipient, attempt, content } = await aRetry('UNCONFIRMED')
    const deferred = await attempt()
    assert.equal(await storeOf(service).claim(deferred, { status: 'SENDING' }), true)
    await sql(em(), 'update messages set recipient = $2 where id = $1::uuid', [id, recipient])
    await storeOf(service).defer(deferred, '451 later', { content, dueInSeconds: null })
    assert.deepEqual(await read(id), { status: 'UNCONFIRMED', recipient, sent: false, to_retry: true })
  })

  it('clears the time of its capture if it fails', async () => {
    const { id, attempt, content } = await aRetry('CAPTURED')
    const as = { status: 'FAILED', error: '550 no such mailbox', isRejected: true, content } as const
    assert.equal(await storeOf(service).claim(await attempt(), as), true)
    assert.partialDeepStrictEqual(await read(id), { status: 'FAILED', sent: false })
  })

  it('runs for a contact that was removed from the automation before the retry was requested', async () => {
    const { id, attempt, place } = await aRetry('UNCONFIRMED')
    await em().transactional((unit) => cancelRetriesOf(unit, [place]))
    const asked = await requestRetries(em(), [id], 'UNCONFIRMED', { includeUnwanted: true })
    assert.equal(asked.length, 1)
    const deferred = await attempt()
    assert.equal(await storeOf(service).claim(deferred, { status: 'SENDING' }), true)
    await storeOf(service).defer(deferred, '451 later', { dueInSeconds: null })
    assert.equal((await read(id)).to_retry, true)
  })

  it('does not run if the contact is removed from the automation in the meantime', async () => {
    const { id, attempt, place } = await aRetry('UNCONFIRMED')
    const deferred = await attempt()
    assert.equal(await storeOf(service).claim(deferred, { status: 'SENDING' }), true)
    await em().transactional((unit) => cancelRetriesOf(unit, [place]))
    await storeOf(service).defer(deferred, '451 later', { dueInSeconds: null })
    assert.equal((await read(id)).to_retry, false)
  })
})

describe('the outcome of a transmission', () => {
  it('removes terminal control sequences from a mail server’s reply', () => {
    const response = '250 \u001b]0;title\u0007\u001b[2Jok\r\nand \u009b31mon'
    assert.deepEqual(outcomeOf({ kind: 'taken', response }), {
      status: 'SENT',
      response: '250  ]0;title  [2Jok \nand  31mon',
    })
  })
})
