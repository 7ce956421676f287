import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { dismissMessage, listUnconfirmed, resendMessage } from '../../src/messages/unconfirmed-messages.ts'
import { noMetrics } from '../../src/outbox/dependencies.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { openContext } from '../../src/runtime/context.ts'
import { createMail } from '../../src/runtime/mail.ts'
import { startWorker } from '../../src/runtime/worker.ts'
import { createMigratedDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import type { Instance } from '../support/instance.ts'
import { useInstanceAndSink } from '../support/instance-and-sink.ts'
import { someLinks } from '../support/links.ts'
import { quietLog } from '../support/log.ts'
import { SENDER } from '../support/npm-start.ts'
import { claimStep, look, stepOf } from '../support/step-claims.ts'
import { workflowBundle } from '../support/workflow-bundle.ts'

const MANY = 2_500
const REAL = 20

/** Most enrollments are rows without a workflow: as much work for the teardown, but faster to create. */
const MAKE_MANY = `
with made as (
  insert into contacts (id, workspace_id, email, email_key)
  select gen_random_uuid(), $1::uuid, email, email from (select 'many-' || n || '-' || $2 || '@example.com' as email
    from generate_series(1, $3::integer) n) as addresses
  returning id
)
insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at, wakes_at)
select gen_random_uuid(), $1::uuid, $2::uuid, made.id, automation.version, 'ACTIVE', now(), now()
from made cross join automations automation where automation.id = $2::uuid`

describe('a worker that starts', () => {
  let service: Instance
  let sink: SmtpSink
  useInstanceAndSink((started) => ({ service, sink } = started), { worker: false })
  afterEach(() => service.stopWorkers())

  const em = () => service.context.orm.em.fork()
  const enrollmentOf = async (contactId: string) => {
    const [row] = await sql<{ id: string; automation_id: string; version: number }>(
      em(),
      'select id, automation_id, version from enrollments where contact_id = $1::uuid',
      [contactId],
    )
    return row!
  }

  it('sends the email of an enrollment that was acknowledged before', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    const { status, body } = await enroll(service, automationId, contactId)
    assert.deepEqual([status, body.data.enrolled], [202, true])
    assert.deepEqual(await activityOf(service, contactId), [])
    await service.startWorker()
    await eventually('the mail', async () =>
      (await activityOf(service, contactId)).find(({ status }) => status === 'SENT'),
    )
  })

  it('records an enrollment in its workflow if the API died between the start and the row', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    const { id } = await enrollmentOf(contactId)
    // Simulates a row that was never written or counted.
    await sql(em(), 'delete from enrollments where id = $1::uuid', [id])
    await sql(em(), 'update automation_counts set enrolled = 0 where automation_id = $1::uuid', [automationId])
    await service.startWorker()
    await eventually('the mail', async () =>
      (await activityOf(service, contactId)).find(({ status }) => status === 'SENT'),
    )
    await eventually('the counts', async () => {
      const [counts] = await sql<{ enrolled: number; completed: number }>(
        em(),
        'select enrolled, completed from automation_counts where automation_id = $1::uuid',
        [automationId],
      )
      return counts?.enrolled === 1 && counts.completed === 1 ? true : undefined
    })
    assert.equal((await enrollmentOf(contactId)).id, id)
  })

  it('does not send an email again if it died between the claim and the record, until an operator resends or dismisses it', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { steps: [EMAIL, { ...EMAIL, subject: 'next' }] })
    await enroll(service, automationId, contactId)
    const step = await stepOf(service, automationId, contactId)
    const { id: messageId } = (await claimStep(service, step)).message
    assert.deepEqual(await look(service, step), { kind: 'busy' })
    // The lease expires, because no worker renews it.
    await sql(em(), 'update messages set lease_until = now() where id = $1::uuid', [messageId])

    const mailsBefore = sink.mails.length
    await service.startWorker()
    const items = await eventually('both messages', async () => {
      const all = await activityOf(service, contactId)
      return all.length === 2 && all.every(({ status }) => status !== 'SENDING') ? all : undefined
    })
    assert.deepEqual(items.map(({ status }) => status).toSorted(), ['SENT', 'UNCONFIRMED'])
    assert.equal(sink.mails.length, mailsBefore + 1)

    const { em: orm } = service.context.orm
    const mail = createMail(service.context.config, orm, { mailFrom: SENDER, links: someLinks })
    const dependencies = { ...mail, em: orm, metrics: noMetrics, log: quietLog }
    const [left] = await listUnconfirmed(orm)
    assert.deepEqual(await resendMessage(dependencies, left!.id), { status: 'SENT', error: null })
    assert.equal(sink.mails.length, mailsBefore + 2)
    assert.deepEqual(await listUnconfirmed(orm), [])
    await assert.rejects(resendMessage(dependencies, left!.id), /There is no unconfirmed message/)

    await sql(em(), `update messages set status = 'UNCONFIRMED' where id = $1::uuid`, [left!.id])
    sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    assert.equal((await resendMessage(dependencies, left!.id)).status, 'UNCONFIRMED')
    sink.behave('accept')
    await dismissMessage(orm, left!.id)
    assert.deepEqual(await listUnconfirmed(orm), [])
    await assert.rejects(dismissMessage(orm, left!.id), /is already DISMISSED/)
    await dependencies.smtp?.close()
    await dependencies.renderer.close()
  })

  it('ends an enrollment that was ended before and that only Temporal has, and sends no email', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL, wait(60), EMAIL] })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const em = service.context.orm.em.fork()
    // Simulates an API that died after the start of the workflow.
    await sql(em, 'delete from enrollments where contact_id = $1::uuid', [contactId])
    const path = `automations/${automationId}/enrollments/${contactId}`
    assert.equal((await service.call('DELETE', path)).status, 200)
    assert.equal((await service.call('DELETE', path)).refused, '404 not_enrolled')
    await service.startWorker()
    const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    await eventually('its workflow is over', async () =>
      (await handle.describe()).status.name === 'RUNNING' ? undefined : true,
    )
    assert.deepEqual(await activityOf(service, contactId), [])
    const { body } = await service.call('GET', `automations/${automationId}/enrollments?status=CANCELLED`)
    assert.equal(body.data.length, 1)
  })

  it('publishes ACTIVE for an enrollment that follows a paused one in the same workflow', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL], triggerConfig: { eventName: 'after' } })
    const contactId = await aContact(service)
    const { temporal, dependencies } = service.context
    const handle = temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    const publishes = (status: string) =>
      eventually(`it is ${status}`, async () => {
        const { searchAttributes } = await handle.describe()
        return String(searchAttributes['EnrollmentStatus']) === status ? true : undefined
      })
    await enroll(service, automationId, contactId)
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await service.startWorker()
    await publishes('PAUSED')
    // The enrollment has ended only in the database: Temporal's data came from a backup.
    await sql(
      em(),
      `update enrollments set status = 'COMPLETED', paused = false, ended_at = now(), wakes_at = null where contact_id = $1::uuid`,
      [contactId],
    )
    await service.call('PUT', `automations/${automationId}/steps`, { steps: [wait(60), EMAIL] })
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    await anEvent(service, contactId, 'after')
    const [active] = await eventually('the contact is enrolled', async () => {
      const rows = await sql<{ id: string }>(
        em(),
        `select id from enrollments where contact_id = $1::uuid and status = 'ACTIVE'`,
        [contactId],
      )
      return rows.length > 0 ? rows : undefined
    })
    await publishes('ACTIVE')
    assert.equal(
      await dependencies.enrollments.state({ automationId, contactId, concurrencyKey: '' }, active!.id),
      'RUNNING',
    )
  })

  const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'x' })
  for (const [what, draft] of [
    ['deleted', []],
    ['replaced by an email without a body', [{ type: 'EMAIL', subject: 'A draft, not to be sent' }]],
    ['replaced', [email('A draft, not to be sent')]],
  ] as const) {
    it(`finds the content of a paused enrollment whose steps were ${what} before it was recorded`, async () => {
      const eventName = `bought ${what}`
      const automationId = await anAutomation(service, {
        triggerConfig: { eventName },
        steps: [email('The first one')],
      })
      const contactId = await aContact(service)
      const patch = (status: string) => service.call('PATCH', `automations/${automationId}`, { status })
      const put = (steps: readonly object[]) => service.call('PUT', `automations/${automationId}/steps`, { steps })
      assert.equal((await anEvent(service, contactId, eventName)).body.data.matchingAutomations, 1)
      await patch('PAUSED')
      assert.equal((await put(draft)).status, 200)
      await service.startWorker()
      await eventually('it is paused', async () => {
        const rows = await sql<{ paused: boolean }>(
          service.context.orm.em.fork(),
          'select paused from enrollments where contact_id = $1::uuid',
          [contactId],
        )
        return rows[0]?.paused ? true : undefined
      })
      assert.equal((await put([email('The second one')])).status, 200)
      assert.equal((await patch('ACTIVE')).status, 200)
      const sent = await eventually('the email arrives', async () => {
        const activity = await activityOf(service, contactId)
        return activity[0]?.status === 'SENT' ? activity : undefined
      })
      assert.deepEqual(
        sent.map(({ subject }) => subject),
        ['The first one'],
      )
    })
  }

  it('delays neither deliveries nor expired claims after the clock of Postgres was set back', async () => {
    const claimed = await anAutomation(service)
    await anAutomation(service, { trigger: 'SIGNUP', steps: [EMAIL] })
    await service.call('POST', 'contacts/bulk', { contacts: [{ email: 'bulk@example.com' }] })
    const { body } = await service.call('GET', 'contacts?email=bulk@example.com')
    const [{ id: contactId }] = body.data as [{ id: string }]
    // Simulates that all rows were written while the clock was an hour ahead.
    const due = await sql(
      em(),
      `update outbox set due_at = due_at + interval '1 hour' where lane = 'bulk' and contact_id = $1 returning id`,
      [contactId],
    )
    assert.equal(due.length, 1)
    await sql(
      em(),
      `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, recipient, status,
         claim, claimed_at, lease_until, attempts, subject)
       select $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::uuid, $6::uuid, 'a@example.com', 'SENDING',
         $7::uuid, now() + interval '1 hour', now() + interval '61 minutes', 0, 'x'`,
      [newId(), service.workspaceId, contactId, claimed, newId(), newId(), newId()],
    )
    await service.startWorker()
    await eventually('it is started', async () =>
      (await activityOf(service, contactId)).find(({ status }) => status === 'SENT'),
    )
    const [row] = await sql<{ seconds: number }>(
      em(),
      `select extract(epoch from lease_until - now())::float8 as seconds from messages where automation_id = $1::uuid`,
      [claimed],
    )
    assert.ok(row!.seconds <= 30, `${row!.seconds} s`)
  })

  it('ignores the workflows of another instance, even on the same task queue', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    const contactId = await aContact(service)
    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, true)
    const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    // No other worker could run it.
    const other = openContext({ ...service.context.config, DATABASE_URL: await createMigratedDatabase() }, quietLog)
    const foreign = await startWorker(other, workflowBundle())
    const failure = await eventually('an attempt has failed', async () => {
      const { raw } = await handle.describe()
      return raw.pendingActivities?.[0]?.lastFailure ?? undefined
    })
    assert.equal(failure.applicationFailureInfo?.type, 'ForeignInstance')
    assert.match(failure.message ?? '', /its own namespace \(TEMPORAL_NAMESPACE\)/)
    await foreign.stop()
    await other.close()
    await service.startWorker()
    await eventually('the email arrives', async () =>
      (await activityOf(service, contactId)).some(({ status }) => status === 'SENT') ? true : undefined,
    )
    assert.deepEqual(await handle.result(), { status: 'COMPLETED' })
  })

  it('rejects a different task queue in the same namespace', async () => {
    const config = { ...service.context.config, TEMPORAL_TASK_QUEUE: 'another' }
    const moved = openContext(config, quietLog)
    await assert.rejects(startWorker(moved, workflowBundle()), /uses the task queue "test-.*TEMPORAL_NAMESPACE/)
    await moved.close()
  })

  describe('with an automation of thousands of running enrollments', () => {
    let automationId: string
    const real: string[] = []

    const query = async (text: string, parameters: unknown[] = [automationId]) =>
      (await sql<{ count: number }>(em(), text, parameters))[0]?.count ?? 0
    const left = () => query('select count(*)::integer as count from enrollments where automation_id = $1::uuid')
    const workflowStatus = async (contactId: string) =>
      (await service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`).describe()).status
        .name

    before(async () => {
      automationId = await anAutomation(service, { steps: [wait(1440), EMAIL] })
      for (let n = 0; n < REAL; n += 1) {
        const contactId = await aContact(service)
        real.push(contactId)
        await enroll(service, automationId, contactId)
      }
      await sql(em(), MAKE_MANY, [service.workspaceId, automationId, MANY])
    })
    beforeEach(() => service.startWorker())

    it('is paused and resumed within the request, regardless of their number', async () => {
      for (const status of ['PAUSED', 'ACTIVE']) {
        const answer = await service.call('PATCH', `automations/${automationId}`, { status })
        assert.deepEqual([answer.status, answer.body.data.status], [200, status])
      }
      assert.equal(await left(), MANY + REAL)
    })

    it('is deleted immediately; its workflows end in pages, even if a worker dies, and without delaying others', async () => {
      assert.equal((await service.call('DELETE', `automations/${automationId}`)).status, 200)
      assert.ok((await left()) > MANY / 2, 'they were deleted within the request')
      assert.equal((await service.call('GET', `automations/${automationId}`)).refused, '404 automation_not_found')
      const contactId = await aContact(service)
      assert.equal((await enroll(service, automationId, contactId)).refused, '404 automation_not_active')

      // Another automation's enrollment completes in the meantime.
      const other = await anAutomation(service, { triggerConfig: { eventName: 'other' } })
      await service.call('POST', `contacts/${contactId}/events`, { name: 'other' })
      await eventually('the other mail', async () =>
        (await activityOf(service, contactId)).find(({ status }) => status === 'SENT'),
      )
      assert.ok((await left()) > 0, 'the teardown was over before the other mail')

      // A worker that dies in the middle leaves the rest to the next one.
      await service.stopWorkers()
      const before = await left()
      assert.ok(before > 0)
      await service.startWorker()
      await eventually('all are deleted', async () => ((await left()) === 0 ? true : undefined), 180_000)
      await eventually(
        'the automation is deleted',
        async () =>
          (await query('select count(*)::integer as count from automations where id = $1::uuid')) ? undefined : true,
        120_000,
      )
      // A run that had not begun when its automation was deleted may find nothing to do, and completes.
      for (const each of real)
        await eventually('the workflow has ended', async () => (await workflowStatus(each)) !== 'RUNNING' || undefined)
      assert.equal((await service.call('GET', `automations/${other}`)).status, 200)
    })

    it('is deleted in pages with the content of its emails, no matter how much there is', async () => {
      const id = await anAutomation(service, { steps: [wait(1440), EMAIL] })
      // Replaced versions keep their content.
      await sql(
        em(),
        `insert into email_contents (automation_id, hash, subject, text)
         select $1::uuid, 'hash ' || n, 'A version', 'text' from generate_series(1, 250) n`,
        [id],
      )
      assert.equal((await service.call('DELETE', `automations/${id}`)).status, 200)
      await eventually('all of it is deleted', async () =>
        (await query('select count(*)::integer as count from email_contents where automation_id = $1::uuid', [id])) ===
          0 && (await query('select count(*)::integer as count from automations where id = $1::uuid', [id])) === 0
          ? true
          : undefined,
      )
    })
  })
})
