import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { enrollmentWorkflowId } from '../../src/automation-engine/index.ts'
import { finishEnrollment, statusOf } from '../../src/enrollments/index.ts'
import { findActive } from '../../src/enrollments/queries.ts'
import { setPreferences } from '../../src/consent/preferences.ts'
import { newId } from '../../src/platform/ids.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, aList, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace, useServiceAndSink } from '../support/shared-service.ts'

interface Ending {
  /** Fields of the automation. */
  automation?: object
  contact?: (service: Service) => Promise<object>
  /** Ends the enrollment. */
  end: (of: { service: Service; automationId: string; contactId: string }) => Promise<unknown>
  sentence: RegExp
}

const WAITING = { steps: [wait(60), EMAIL] }

const ENDINGS: Record<string, Ending> = {
  'a request': {
    end: ({ service, automationId, contactId }) =>
      service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`),
    sentence: /^Was cancelled by the request [\w-]{8,}\.$/,
  },
  'an unsubscribe': {
    automation: { exitOn: [{ event: 'unsubscribed' }] },
    end: async ({ service, contactId }) =>
      service.call('POST', 'suppressions', { email: await addressOf(service, contactId), reason: 'UNSUBSCRIBED' }),
    sentence: /^Exited by an exit rule: the contact opted out\.$/,
  },
  'an exit rule': {
    automation: { exitOn: [{ eventName: 'paid' }] },
    end: ({ service, contactId }) => anEvent(service, contactId, 'paid'),
    sentence: /^Exited by an exit rule: received paid\.$/,
  },
  'a goal': {
    automation: { goal: { eventName: 'paid' } },
    end: ({ service, contactId }) => anEvent(service, contactId, 'paid'),
    sentence: /^Reached the goal: received paid\.$/,
  },
  'an exit step': {
    automation: { steps: [{ type: 'EXIT' }] },
    end: () => Promise.resolve(),
    sentence: /^Exited at a step\.$/,
  },
  'an operator who cancels the workflow': {
    end: ({ service, ...place }) => workflowOf(service, place).cancel(),
    sentence: /^Was cancelled: its workflow was ended in Temporal\.$/,
  },
  'an operator who terminates the workflow, found by the next request': {
    async end({ service, ...place }) {
      await workflowOf(service, place).terminate()
      assert.equal((await enroll(service, place.automationId, place.contactId)).body.data.enrolled, true)
    },
    sentence: /^Was cancelled: its workflow was ended in Temporal\.$/,
  },
}

const workflowOf = (service: Service, place: { automationId: string; contactId: string }) =>
  service.context.temporal.workflow.getHandle(enrollmentWorkflowId({ ...place, concurrencyKey: '' }))

describe('the decision about an enrollment that ended early', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((opened) => ({ service, sink } = opened))

  const endOf = (contactId: string) =>
    eventually('its end is a decision', async () => {
      const { body } = await service.call('GET', `contacts/${contactId}/decisions`)
      return (body.data as { kind: string; sentence: string }[]).find(({ kind }) => kind === 'END')
    })

  for (const [what, { automation, end, sentence }] of Object.entries(ENDINGS)) {
    it(`names ${what}`, async () => {
      const automationId = await anAutomation(service, { ...WAITING, ...automation })
      const contactId = await aContact(service)
      await enroll(service, automationId, contactId)
      await end({ service, automationId, contactId })
      assert.match((await endOf(contactId)).sentence, sentence)
    })
  }

  it('names a list that the contact left', async () => {
    const listId = await aList(service)
    await service.call('PATCH', `lists/${listId}`, { public: true })
    const trigger = { trigger: 'LIST_ADDED', triggerConfig: { listId } }
    const automationId = await anAutomation(service, { ...WAITING, ...trigger, exitOn: [{ event: 'unsubscribed' }] })
    const contactId = await aContact(service, { listId })
    // Records what adding it started.
    await enroll(service, automationId, contactId)
    const visit = { contactId, originId: newId() }
    await setPreferences(service.context.dependencies, visit, { kind: 'lists', ids: [] })
    assert.match((await endOf(contactId)).sentence, /^Exited by an exit rule: the contact opted out\.$/)
  })

  it('names an email that was rejected', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL], onSendFailure: 'STOP' })
    const contactId = await aContact(service)
    sink.behave({ code: 550, text: 'Not accepted', at: 'rcpt', to: await addressOf(service, contactId) })
    await enroll(service, automationId, contactId)
    assert.equal((await endOf(contactId)).sentence, 'Stopped: an email was rejected.')
  })
})

describe('an enrollment whose workflow ends without a cause', () => {
  it('stays active, and the activity fails', async () => {
    const service = await openWorkspace({ worker: false })
    const automationId = await anAutomation(service, WAITING)
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const em = service.context.orm.em.fork()
    const place = { automationId, contactId, concurrencyKey: '' }
    const id = (await findActive(em, place))!
    const entry = { id, ...place, dedupKey: null, enrolledAt: new Date() }
    await assert.rejects(finishEnrollment(em, { status: 'CANCELLED', by: 'STEPS' }, [], entry), /nothing has ended/)
    assert.equal(await statusOf(em, id), 'ACTIVE')
    assert.equal(await finishEnrollment(em, { status: 'CANCELLED', by: 'CANCELLATION' }, [], entry), 'CANCELLED')
  })
})
