import assert from 'node:assert/strict'
import { setPreferences } from '../../src/consent/preferences.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, aList, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { prepare, stepOf } from '../support/step-claims.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace, useServiceAndSink } from '../support/shared-service.ts'

const RECEIPT = { ...EMAIL, category: 'transactional', subject: 'Receipt' }

describe('an automation with a changed trigger', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))
  const em = () => service.context.orm.em.fork()
  const publicList = async (of = service) => {
    const list = await aList(of)
    await of.call('PATCH', `lists/${list}`, { public: true })
    return list
  }
  const byList = (listId: string) => ({ trigger: 'LIST_ADDED', triggerConfig: { listId } })
  const statusOf = async (automationId: string, contactId: string) =>
    (
      await sql<{ status: string }>(
        em(),
        'select status from enrollments where automation_id = $1::uuid and contact_id = $2::uuid',
        [automationId, contactId],
      )
    )[0]?.status
  const isIn = (automationId: string, contactId: string) =>
    eventually(
      'the contact is enrolled',
      async () => (await statusOf(automationId, contactId)) === 'ACTIVE' || undefined,
    )
  const change = async (automationId: string, fields: object, of = service) => {
    const { status, body } = await of.call('PATCH', `automations/${automationId}`, fields)
    assert.equal(status, 200, JSON.stringify(body))
  }
  const leave = (contactId: string, keep: string[] = [], of = service) =>
    setPreferences(of.context.dependencies, { contactId, originId: newId() }, { kind: 'lists', ids: keep })

  it('ends by its exit rule for a contact who leaves the list that started it, but not for one who leaves the new list', async () => {
    const [first, second] = [await publicList(), await publicList()]
    const automationId = await anAutomation(service, {
      ...byList(first),
      steps: [EMAIL, wait(60), EMAIL],
      exitOn: [{ event: 'unsubscribed' }],
    })
    const contactId = await aContact(service)
    await service.call('POST', `lists/${first}/contacts`, { contactId })
    await isIn(automationId, contactId)
    await change(automationId, byList(second))
    await service.call('POST', `lists/${second}/contacts`, { contactId })
    await leave(contactId, [first])
    assert.equal(await statusOf(automationId, contactId), 'ACTIVE')
    await leave(contactId)
    assert.equal(await statusOf(automationId, contactId), 'EXITED')
  })

  it('sends no marketing to a contact who left the list that started it, but still sends receipts', async () => {
    const idle = await openWorkspace({ worker: false })
    const list = await publicList(idle)
    const automationId = await anAutomation(idle, { ...byList(list), steps: [EMAIL, RECEIPT] })
    const contactId = await aContact(idle, { listId: list, tags: ['vip'] })
    // An enrollment through the API also counts as started by the list.
    await enroll(idle, automationId, contactId)
    await change(automationId, { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'vip' } }, idle)
    await leave(contactId, [], idle)
    const marketing = await stepOf(idle, automationId, contactId)
    assert.equal((await prepare(idle, marketing)).suppressedBy, 'LEFT_LIST')
    const { body } = await idle.call('GET', `automations/${automationId}`)
    assert.equal((await prepare(idle, { ...marketing, stepId: body.data.steps[1].id })).suppressedBy, null)
  })

  it('sends no reminder to a contact who confirmed the list of the former trigger', async () => {
    const list = await aList(service)
    const asks = { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list } }
    const ASKS = { ...RECEIPT, subject: 'Please confirm', text: '{{ confirmUrl | default: "" }}' }
    const asking = await anAutomation(service, { ...asks, steps: [ASKS, wait(60 * 24), ASKS] })
    // Another automation that still asks for confirmation.
    await anAutomation(service, { ...asks, steps: [{ ...ASKS, subject: 'Or here' }] })
    await service.call('PATCH', `lists/${list}`, { doubleOptIn: true })
    const contactId = await aContact(service)
    const address = await addressOf(service, contactId)
    await service.call('POST', `lists/${list}/contacts`, { contactId })
    await isIn(asking, contactId)
    await change(asking, { trigger: 'SIGNUP', triggerConfig: {} })
    const mail = await eventually('the confirmation email arrives', () =>
      sink.mails.find(({ to, headers }) => to[0] === address && headers.includes('Subject: Please confirm')),
    )
    const [, path] = /https:\/\/mail\.example\.com(\/confirm\/[\w-]{66})/.exec(mail.body.replaceAll('=\r\n', ''))!
    const body = new URLSearchParams({ choice: 'confirm' })
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, { method: 'POST', body })
    assert.match(await answer.text(), /Your subscription is confirmed/)
    assert.equal(await statusOf(asking, contactId), 'CANCELLED')
  })
})
