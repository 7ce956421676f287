import assert from 'node:assert/strict'
import { recordEnrollment } from '../../src/enrollments/record-enrollment.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createMail } from '../../src/runtime/mail.ts'
import { noMetrics } from '../../src/outbox/dependencies.ts'
import { dismissMessage, listUnconfirmed, resendMessage } from '../../src/messages/unconfirmed-messages.ts'
import { newId } from '../../src/platform/ids.ts'
import { aContact, activityOf, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { claimStep, look, stepOf } from '../support/step-claims.ts'
import { someLinks } from '../support/links.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/log.ts'
import { SENDER } from '../support/npm-start.ts'
import { useServiceAndSink } from '../support/service-and-sink.ts'
import type { Service } from '../support/service.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

describe('recovery after a crash', () => {
  let service: Service
  let sink: SmtpSink
  let release: (() => void) | undefined
  useServiceAndSink((started) => ({ service, sink } = started), {
    onMail: () => new Promise<void>((resolve) => (release ? (release = resolve) : resolve())),
    worker: false,
  })

  const em = () => service.context.orm.em.fork()
  const enrollmentOf = async (contactId: string) => {
    const [row] = await sql<{ id: string; automation_id: string; version: number }>(
      em(),
      'select id, automation_id, version from enrollments where contact_id = $1::uuid',
      [contactId],
    )
    return row!
  }

  it('records an enrollment in its workflow if the API died between the start and the row', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    const { id } = await enrollmentOf(contactId)
    // Simulates a row that was never written or counted.
    await sql(em(), 'delete from enrollments where id = $1::uuid', [id])
    await sql(em(), 'update automation_counts set enrolled = 0 where automation_id = $1::uuid', [automationId])
    const worker = await service.startWorker()
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
    await worker.stop()
  })

  it('lets a contact enter again after an operator has terminated their workflow', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    const before = await enrollmentOf(contactId)
    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, false)
    await service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`).terminate()

    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, true)
    const rows = await sql<{ id: string; status: string }>(
      em(),
      'select id, status from enrollments where contact_id = $1::uuid order by recorded_at',
      [contactId],
    )
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['CANCELLED', 'ACTIVE'],
    )
    assert.equal(rows[0]?.id, before.id)
    // No worker runs yet, and the next test counts mails.
    await service.call('DELETE', `automations/${automationId}`)
  })

  it('does not send an email again if a worker died between its claim and its record', async () => {
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
  })

  it('lets an operator resend or dismiss the message', async () => {
    const { em: orm } = service.context.orm
    const mail = createMail(service.context.config, orm, { mailFrom: SENDER, links: someLinks })
    const dependencies = { ...mail, em: orm, metrics: noMetrics, log: quietLog }
    const [left] = await listUnconfirmed(orm)
    const mailsBefore = sink.mails.length
    assert.deepEqual(await resendMessage(dependencies, left!.id), { status: 'SENT', error: null })
    assert.equal(sink.mails.length, mailsBefore + 1)
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

  it('counts an enrollment once, no matter how often it is recorded', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    const write = { id: newId(), automationId, contactId, dedupKey: null, triggerEventId: null, enrolledAt: new Date() }
    const all = await Promise.all(Array.from({ length: 20 }, () => recordEnrollment(em(), write)))
    assert.ok(all.every((status) => status === 'ACTIVE'))
    const { body } = await service.call('GET', 'automations')
    assert.equal(body.data.find(({ id }: { id: string }) => id === automationId).enrolledCount, 1)
  })

  it('responds to a DELETE after the email in flight, and sends none after the response', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { steps: [EMAIL, EMAIL, EMAIL] })
    const before = sink.mails.length
    release = () => undefined
    await enroll(service, automationId, contactId)
    await eventually('the server has received the message, but not answered', () =>
      sink.mails.length > before ? true : undefined,
    )
    let answered = false
    const deletion = service.call('DELETE', `automations/${automationId}`).then((answer) => {
      answered = true
      return answer
    })
    await eventually('the automation is deleted', async () =>
      (await service.call('GET', `automations/${automationId}`)).status === 404 ? true : undefined,
    )
    assert.equal(answered, false)
    const answerServer = release
    release = undefined
    answerServer()
    assert.equal((await deletion).status, 200)
    await eventually('the workflow has ended', async () => {
      const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
      return (await handle.describe()).status.name === 'RUNNING' ? undefined : true
    })
    assert.equal(sink.mails.length, before + 1)
  })
})
