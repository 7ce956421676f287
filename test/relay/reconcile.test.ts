import assert from 'node:assert/strict'
import { readSendingGate } from '../../src/instance/sending-gate-queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { beginEnrollment } from '../../activities/begin-enrollment.ts'
import { look } from '../support/step-claims.ts'
import { newId } from '../../src/platform/ids.ts'
import { reconcile } from '../../src/relay/reconcile.ts'
import { markRestored, enableSending } from '../../src/relay/restored.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { useServiceAndSink } from '../support/service-and-sink.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const SEQUENCE = { steps: [{ ...EMAIL, subject: 'first' }, wait(60), { ...EMAIL, subject: 'second' }] }

describe('a reconciliation', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))
  afterEach(() => sql(em(), 'update instance set restored_at = null, lost_until = null'))

  const em = () => service.context.orm.em.fork()
  const handleOf = (automationId: string, contactId: string) =>
    service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
  const statusIn = async (automationId: string, contactId: string) =>
    (
      await handleOf(automationId, contactId)
        .describe()
        .catch(() => undefined)
    )?.status.name
  const rowsOf = (contactId: string) =>
    sql<{ id: string; status: string }>(em(), 'select id, status from enrollments where contact_id = $1::uuid', [
      contactId,
    ])
  const finalMessages = (contactId: string, count: number) =>
    eventually('its emails are final', async () => {
      const all = await activityOf(service, contactId)
      return all.length === count && all.every(({ status }) => status !== 'SENDING') ? all : undefined
    })
  /** Creates an enrollment that waits and is listed by Temporal. */
  async function waiting(fields: object = {}) {
    const automationId = await anAutomation(service, { ...SEQUENCE, ...fields })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    await finalMessages(contactId, 1)
    const [row] = await rowsOf(contactId)
    await eventually('it is listed', async () => {
      for await (const { enrollmentId } of service.context.dependencies.enrollments.listRunning())
        if (enrollmentId === row!.id) return true
      return undefined
    })
    return { automationId, contactId, enrollmentId: row!.id }
  }
  const differences = async (isDry = false, lostUntil?: null) => {
    const { differences: all, failed } = await reconcile(service.context.dependencies, { isDry, lostUntil })
    assert.equal(failed, 0)
    return all
  }

  it('restarts an enrollment without a workflow where it was, and only reports it in a dry run', async () => {
    const one = await waiting()
    await service.context.temporal.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: `enrollment:${one.automationId}:${one.contactId}` },
    })
    await eventually('it is gone', async () =>
      (await statusIn(one.automationId, one.contactId)) === undefined ? true : undefined,
    )
    const expected = [{ ...one, what: 'resumed' }]
    assert.deepEqual(await differences(true), expected)
    assert.equal(await statusIn(one.automationId, one.contactId), undefined)
    assert.deepEqual(await differences(), expected)
    assert.equal(await statusIn(one.automationId, one.contactId), 'RUNNING')
    await eventually('it is listed', async () => ((await differences(true)).length === 0 ? true : undefined))
    assert.equal((await activityOf(service, one.contactId)).length, 1)
  })

  it('records a running workflow that is missing from an older database, which continues and sends nothing twice', async () => {
    const one = await waiting()
    await sql(em(), 'delete from messages where enrollment_id = $1::uuid', [one.enrollmentId])
    await sql(em(), 'delete from enrollments where id = $1::uuid', [one.enrollmentId])
    assert.deepEqual(await differences(true), [{ ...one, what: 'recorded' }])
    assert.deepEqual(await differences(), [{ ...one, what: 'recorded' }])
    assert.deepEqual(await rowsOf(one.contactId), [{ id: one.enrollmentId, status: 'ACTIVE' }])
    assert.deepEqual(await differences(), [])
    // Nothing is sent again while it waits.
    assert.deepEqual(await activityOf(service, one.contactId), [])
  })

  it('ends workflows whose enrollment has ended in the database, or whose contact it does not have', async () => {
    const through = await waiting()
    const unknown = await waiting()
    await sql(em(), `update enrollments set status = 'COMPLETED', ended_at = now() where id = $1::uuid`, [
      through.enrollmentId,
    ])
    await sql(em(), 'delete from contacts where id = $1::uuid', [unknown.contactId])
    const found = await differences()
    assert.deepEqual(
      new Map(found.map(({ enrollmentId, what }) => [enrollmentId, what])),
      new Map([
        [through.enrollmentId, 'closed'],
        [unknown.enrollmentId, 'removed'],
      ]),
    )
    for (const { automationId, contactId } of [through, unknown])
      await eventually('it is over', async () =>
        (await statusIn(automationId, contactId)) === 'CANCELLED' ? true : undefined,
      )
    assert.deepEqual(await rowsOf(through.contactId), [{ id: through.enrollmentId, status: 'COMPLETED' }])
  })

  it('ends enrollments whose workflow an operator has terminated', async () => {
    const one = await waiting()
    await handleOf(one.automationId, one.contactId).terminate()
    await eventually('it is listed as terminated', async () =>
      (await differences(true)).some(({ what }) => what === 'ended') ? true : undefined,
    )
    assert.deepEqual(await differences(), [{ ...one, what: 'ended' }])
    assert.deepEqual(await rowsOf(one.contactId), [{ id: one.enrollmentId, status: 'CANCELLED' }])
  })

  it('enables sending on a restored instance, which sends nothing before', async () => {
    await markRestored(em())
    const automationId = await anAutomation(service)
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    await eventually('it is deferred', async () => {
      const { raw } = await handleOf(automationId, contactId).describe()
      return raw.pendingActivities?.some(({ lastFailure }) => lastFailure) ? true : undefined
    })
    assert.deepEqual(await activityOf(service, contactId), [])
    assert.equal((await differences(false, null)).length, 0)
    const [message] = await finalMessages(contactId, 1)
    assert.equal(message!.status, 'SENT')
  }).timeout(90_000)

  it('treats everything due until a date as lost if it is unknown, even if the backup was captured', async () => {
    for (const mail of ['capture', 'smtp']) {
      await sql(em(), 'update instance set mail = $1', [mail])
      await service.stopWorkers()
      await markRestored(em())
      const automationId = await anAutomation(service)
      const contactId = await aContact(service)
      await enroll(service, automationId, contactId)
      // The original continued after the restore, was set to live, and was stopped.
      await differences()
      await sql(em(), `update instance set mail = 'smtp'`)
      await service.startWorker()
      const [message] = await finalMessages(contactId, 1)
      assert.equal(message!.status, 'UNCONFIRMED')
      const bulk = await service.call('POST', 'messages/retry', { status: 'FAILED' })
      assert.match(bulk.headers.get('x-warning') ?? '', /are left out\. To include them, set \/evenIfSent/)
    }
  }).timeout(90_000)

  it('rejects a loss that ended before the newest data of the backup', async () => {
    await enroll(service, await anAutomation(service), await aContact(service))
    await markRestored(em())
    const lostUntil = new Date('2020-01-01T00:00:00Z')
    for (const refused of [enableSending(em(), lostUntil), reconcile(service.context.dependencies, { lostUntil })])
      await assert.rejects(refused, { message: /The backup has data from/ })
    assert.equal((await readSendingGate(em())).isOpen, false)
    await enableSending(em(), null)
    assert.deepEqual(await readSendingGate(em()), { isOpen: true, mail: 'smtp', lostUntil: null })
  })

  it('runs before a workflow that only a newer Temporal has is treated as ended', async () => {
    const ids = { automationId: await anAutomation(service), contactId: await aContact(service), enrollmentId: newId() }
    const { automationId, enrollmentId } = ids
    const step = { workspaceId: service.workspaceId, automationId, enrollmentId, stepId: newId(), occurrence: 0 }
    const triggerEventId = newId()
    const begin = () =>
      beginEnrollment({ em: em() } as never, {
        ...ids,
        instanceId: '',
        dedupKey: `event:${triggerEventId}`,
        triggerEventId,
        enrolledAt: new Date().toISOString(),
      })
    await markRestored(em())
    assert.equal((await look(service, step)).kind, 'disabled')
    await assert.rejects(begin(), /retrying until it is reconciled/)
    await enableSending(em(), null)
    assert.equal((await look(service, step)).kind, 'gone')
    assert.equal(await begin(), null)
  })

  it('ends the workflows of contacts who were removed before the reconciliation, including those that only Temporal has', async () => {
    const one = await waiting()
    // The database is from before this enrollment, when the contact was in another one.
    const earlier = newId()
    await sql(em(), 'delete from messages where enrollment_id = $1::uuid', [one.enrollmentId])
    await sql(em(), 'delete from next_wakes where enrollment_id = $1::uuid', [one.enrollmentId])
    await sql(em(), 'update enrollments set id = $2::uuid, dedup_key = $2::text where id = $1::uuid', [
      one.enrollmentId,
      earlier,
    ])
    await markRestored(em())
    const path = `automations/${one.automationId}/enrollments/${one.contactId}`
    assert.equal((await service.call('DELETE', path)).status, 200)
    assert.deepEqual(
      (await rowsOf(one.contactId)).map(({ status }) => status),
      ['CANCELLED', 'CANCELLED'],
    )
    await eventually('its workflow is over', async () =>
      (await statusIn(one.automationId, one.contactId)) === 'RUNNING' ? undefined : true,
    )
  })

  describe('after a restore that may have lost sent emails', () => {
    const lost = (until: Date) => sql(em(), 'update instance set lost_until = $1::timestamptz', [until.toISOString()])
    const mailsTo = (email: string) => sink.mails.filter((mail) => mail.to.includes(email)).length
    const emailOf = async (contactId: string) =>
      (await service.call('GET', `contacts/${contactId}`)).body.data.email as string

    it('leaves emails due by then UNCONFIRMED, and their followers due by then, and sends the rest', async () => {
      const steps = ['one', 'two'].map((subject) => ({ ...EMAIL, subject }))
      const automationId = await anAutomation(service, { steps: [...steps, wait(60), { ...EMAIL, subject: 'three' }] })
      const contactId = await aContact(service)
      await service.stopWorkers()
      await enroll(service, automationId, contactId)
      await lost(new Date(Date.now() + 60_000))
      await service.startWorker()
      const all = await finalMessages(contactId, 2)
      assert.deepEqual(
        all.map(({ status }) => status),
        ['UNCONFIRMED', 'UNCONFIRMED'],
      )
      assert.match(all[0]!.error!, /it may have been sent/)
      // They identify the email in the mail server's log.
      const email = await emailOf(contactId)
      assert.equal(all[0]!.to, email)
      assert.match(all[0]!.messageId!, /^<\w+@example\.com>$/)
      assert.equal(mailsTo(email), 0)
    })

    it('uses the time of an event, no matter how late it starts an enrollment', async () => {
      const automationId = await anAutomation(service, { triggerConfig: { eventName: 'before the loss' } })
      const contactId = await aContact(service)
      await service.stopWorkers()
      await anEvent(service, contactId, 'before the loss')
      // The event is older than the loss, and its enrollment began after it.
      await sql(em(), `update trigger_events set created_at = now() - interval '1 hour' where contact_id = $1::uuid`, [
        contactId,
      ])
      await lost(new Date(Date.now() - 30 * 60_000))
      await service.startWorker()
      const [message] = await finalMessages(contactId, 1)
      assert.equal(message!.status, 'UNCONFIRMED')
      const later = await aContact(service)
      await enroll(service, automationId, later)
      assert.equal((await finalMessages(later, 1))[0]!.status, 'SENT')
    })
  })
})
