import assert from 'node:assert/strict'
import { isId } from '../../src/platform/ids.ts'
import { activityOf, aContact, addressOf, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

describe('an enrollment', () => {
  let service: Service
  let sink: SmtpSink
  let release: (() => void) | undefined
  useServiceAndSink((started) => ({ service, sink } = started), {
    onMail: () => new Promise<void>((resolve) => (release ? (release = resolve) : resolve())),
  })

  const messages = (contactId: string, count: number) =>
    eventually(`${count} final messages`, async () => {
      const items = await activityOf(service, contactId)
      return items.length === count && items.every(({ status }) => status !== 'SENDING' && status !== 'DEFERRED')
        ? items
        : undefined
    })
  const mailsTo = async (contactId: string) => {
    const [item] = await activityOf(service, contactId)
    return sink.mails.filter(({ to }) => to[0] === item?.to)
  }
  const workflow = (automationId: string, contactId: string) =>
    service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
  const closed = (automationId: string, contactId: string) =>
    eventually('the workflow is closed', async () => {
      const { status } = await workflow(automationId, contactId).describe()
      return status.name === 'RUNNING' ? undefined : status.name
    })
  const summary = async (automationId: string) => {
    const { body } = await service.call('GET', 'automations?limit=100')
    return (body.data as { id: string; enrolledCount: number; completedCount: number }[]).find(
      ({ id }) => id === automationId,
    )
  }

  it('sends its emails once over SMTP; a second request returns 202 and does nothing', async () => {
    const contactId = await aContact(service, { firstName: 'Ada' })
    const automationId = await anAutomation(service, { steps: [EMAIL, wait(60), EMAIL] })
    const first = await enroll(service, automationId, contactId)
    assert.equal(first.status, 202)
    const { enrolledAt, ...data } = first.body.data as { enrolledAt: string }
    assert.deepEqual(data, { automationId, contactId, enrolled: true, matchingAutomations: 1 })
    assert.equal(new Date(enrolledAt).toISOString(), enrolledAt)
    const second = await enroll(service, automationId, contactId)
    assert.equal(second.status, 202)
    assert.equal(second.body.data.enrolled, false)
    assert.equal(second.body.data.matchingAutomations, 0)

    const [message] = await messages(contactId, 1)
    assert.equal(message?.status, 'SENT')
    assert.equal(message?.subject, 'Hello Ada')
    assert.equal((await mailsTo(contactId)).length, 1)
    assert.deepEqual(await summary(automationId).then((s) => [s?.enrolledCount, s?.completedCount]), [1, 0])
  })

  it('is counted as completed at its end, and can start again afterwards', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    for (const round of [1, 2]) {
      assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, true)
      assert.equal(await closed(automationId, contactId), 'COMPLETED')
      assert.deepEqual(await summary(automationId).then((s) => [s?.enrolledCount, s?.completedCount]), [round, round])
    }
    assert.equal((await messages(contactId, 2)).length, 2)
  })

  it('merges keys into the metadata before the first email', async () => {
    const contactId = await aContact(service, { metadata: { plan: 'free', old: 1 } })
    const steps = [{ ...EMAIL, subject: '{{ contact.metadata.plan }}{{ contact.metadata.old }}' }]
    const automationId = await anAutomation(service, { steps })
    await enroll(service, automationId, contactId, { merge: { plan: 'pro', old: null } })
    assert.equal((await messages(contactId, 1))[0]?.subject, 'pro')
  })

  it('can be found in Temporal by its IDs, and shows its current step', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { name: 'Onboarding', steps: [EMAIL, wait(1440), EMAIL] })
    await enroll(service, automationId, contactId)
    const found = await eventually('the enrollment in the list', async () => {
      const query = `AutomationId="${automationId}" AND ContactId="${contactId}" AND NextWakeAt IS NOT NULL`
      for await (const execution of service.context.temporal.workflow.list({ query })) return execution
      return undefined
    })
    assert.equal(found.workflowId, `enrollment:${automationId}:${contactId}`)
    const description = await workflow(automationId, contactId).describe()
    assert.equal(await description.staticSummary(), 'Onboarding')
    assert.ok(!JSON.stringify(description.typedSearchAttributes).includes('example.com'))
  })

  it('keeps the steps that it started with when they are replaced', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { status: 'ACTIVE', steps: [EMAIL, wait(60), EMAIL] })
    await enroll(service, automationId, contactId)
    await messages(contactId, 1)
    const before = await service.call('GET', `automations/${automationId}`)
    const [kept] = (before.body as { data: { steps: { id: string }[] } }).data.steps
    const { body } = await service.call('PUT', `automations/${automationId}/steps`, {
      steps: [{ ...EMAIL, id: kept?.id }],
    })
    assert.equal(body.data.steps.length, 1)
    assert.equal(body.data.steps[0].id, kept?.id)
    const { historyLength } = await workflow(automationId, contactId).describe()
    assert.ok(historyLength > 5)
    assert.equal((await workflow(automationId, contactId).describe()).status.name, 'RUNNING')
  })

  it('is rejected for an automation that is not active, and for a contact of another workspace', async () => {
    const contactId = await aContact(service)
    for (const status of ['DRAFT', 'PAUSED', 'ARCHIVED']) {
      const answer = await enroll(service, await anAutomation(service, { status }), contactId)
      assert.deepEqual(
        [answer.refused, answer.body.error],
        ['404 automation_not_active', 'Automation not found or not active'],
      )
    }
    const key = await service.newKey()
    const { body } = await service.call('POST', 'contacts', { email: 'other@example.com' }, { key })
    const foreign = await enroll(service, await anAutomation(service), body.data.id as string)
    assert.deepEqual([foreign.refused, foreign.body.error], ['404 contact_not_found', 'Contact not found'])
    const automationId = await anAutomation(service)
    const stranger = await service.call('POST', `automations/${automationId}/enroll`, { contactId }, { key })
    assert.deepEqual(
      [stranger.refused, stranger.body.error],
      ['404 automation_not_active', 'Automation not found or not active'],
    )
  })

  it('pauses before its next email while the automation is paused, and resumes', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    sink.behave({ code: 451, text: 'later', at: 'data' })
    await enroll(service, automationId, contactId)
    await eventually('a deferred message', async () =>
      (await activityOf(service, contactId)).find(({ status }) => status === 'DEFERRED'),
    )
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    sink.behave('accept')
    await eventually('the enrollment is paused', async () => {
      for await (const found of service.context.temporal.workflow.list({
        query: `AutomationId="${automationId}" AND EnrollmentStatus="PAUSED"`,
      }))
        return found
      return undefined
    })
    assert.equal((await mailsTo(contactId)).length, 0)
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    assert.equal((await messages(contactId, 1))[0]?.status, 'SENT')
    assert.equal(await closed(automationId, contactId), 'COMPLETED')
    assert.equal((await mailsTo(contactId)).length, 1)
  })

  it('ends when its automation is deleted: no further email, its rows deleted, its workflow cancelled', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { steps: [EMAIL, wait(60), EMAIL] })
    await enroll(service, automationId, contactId)
    await messages(contactId, 1)
    const { status, body } = await service.call('DELETE', `automations/${automationId}`)
    assert.deepEqual([status, body], [200, { data: { id: automationId, deleted: true } }])
    assert.equal((await service.call('GET', `automations/${automationId}`)).refused, '404 automation_not_found')
    assert.equal((await service.call('DELETE', `automations/${automationId}`)).refused, '404 automation_not_found')
    assert.equal(await closed(automationId, contactId), 'CANCELLED')
    await eventually('the rows are gone', async () => {
      const rows = await service.context.orm.em
        .fork()
        .execute('select 1 from enrollments where automation_id = ? union all select 1 from automations where id = ?', [
          automationId,
          automationId,
        ])
      return rows.length === 0 ? true : undefined
    })
    assert.equal((await mailsTo(contactId)).length, 1)
  })

  it('responds to a DELETE after the email in flight, and sends none after the response', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { steps: [EMAIL, EMAIL, EMAIL] })
    const email = await addressOf(service, contactId)
    release = () => undefined
    await enroll(service, automationId, contactId)
    await eventually('the server has received the message, but not answered', () =>
      sink.mails.some(({ to }) => to[0] === email) ? true : undefined,
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
    await closed(automationId, contactId)
    assert.equal(sink.mails.filter(({ to }) => to[0] === email).length, 1)
  })

  it('dismisses a deferred email when its automation is deleted', async () => {
    sink.behave({ code: 451, text: 'later', at: 'data' })
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    const status = async () => (await activityOf(service, contactId))[0]?.status
    await eventually('a deferred message', async () => ((await status()) === 'DEFERRED' ? true : undefined))
    await service.call('DELETE', `automations/${automationId}`)
    await eventually('a dismissed message', async () => ((await status()) === 'DISMISSED' ? true : undefined))
    sink.behave('accept')
    // Either the cancellation reaches it, or its next attempt finds the automation deleted.
    const ended = await closed(automationId, contactId)
    if (ended !== 'CANCELLED')
      assert.deepEqual(await workflow(automationId, contactId).result(), { status: 'CANCELLED' })
    assert.equal((await mailsTo(contactId)).length, 0)
  })

  it('continues or stops after a permanent failure, as its automation specifies', async () => {
    sink.behave({ code: 550, text: 'refused', at: 'rcpt' })
    for (const [onSendFailure, count, completed] of [
      ['CONTINUE', 2, 1],
      ['STOP', 1, 0],
    ] as const) {
      const contactId = await aContact(service)
      const automationId = await anAutomation(service, { onSendFailure, steps: [EMAIL, EMAIL] })
      await enroll(service, automationId, contactId)
      await closed(automationId, contactId)
      const items = await messages(contactId, count)
      assert.ok(items.every(({ status, error }) => status === 'FAILED' && error?.includes('refused')))
      assert.equal((await summary(automationId))?.completedCount, completed)
    }
  })

  it('records a template error as FAILED with the reason, and continues', async () => {
    // The template renders for the sample contact when it is saved, but not for this contact.
    const contactId = await aContact(service, { metadata: { many: 99_999_999 } })
    const steps = [{ ...EMAIL, text: '{% for i in (1..contact.metadata.many) %}x{% endfor %}' }, EMAIL]
    await enroll(service, await anAutomation(service, { steps }), contactId)
    const items = await messages(contactId, 2)
    assert.deepEqual(items.map(({ status }) => status).toSorted(), ['FAILED', 'SENT'])
    assert.match(items.find(({ status }) => status === 'FAILED')?.error ?? '', /^Template error in text: /)
  })

  it('never resends a message that the server may have accepted, and continues', async () => {
    sink.behave('cut')
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    assert.equal((await messages(contactId, 1))[0]?.status, 'UNCONFIRMED')
    assert.equal(await closed(automationId, contactId), 'COMPLETED')
  })

  it('captures the mail of a test workspace, regardless of the SMTP server', async () => {
    const key = await service.newKey({ mode: 'test' })
    assert.ok(key.startsWith('svc_test_'))
    const asTest = { ...service, call: ((m, p, b) => service.call(m, p, b, { key })) as Service['call'] }
    const contactId = await aContact(asTest)
    assert.ok(isId(contactId))
    await enroll(asTest, await anAutomation(asTest), contactId)
    const item = await eventually('a captured message', async () =>
      (await activityOf(asTest, contactId)).find(({ status }) => status === 'CAPTURED'),
    )
    assert.ok(!sink.mails.some(({ to }) => to[0] === item.to))
  })
})
