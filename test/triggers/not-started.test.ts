import assert from 'node:assert/strict'
import { aContact, aList, anAutomation, anEvent, EMAIL } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('the decisions about a contact', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const decisionsOf = async (contactId: string, of = service) => {
    const { body } = await of.call('GET', `contacts/${contactId}/decisions`)
    const decisions = body.data as { kind: string; rule: string; automationId: string; sentence: string }[]
    return decisions.map(({ kind, rule, automationId, sentence }) => [kind, rule, automationId, sentence])
  }

  it('name a paused automation that an event would have started, once a day', async () => {
    const paused = await anAutomation(service, { triggerConfig: { eventName: 'Ordered' }, steps: [EMAIL] })
    await service.call('PATCH', `automations/${paused}`, { status: 'PAUSED' })
    const archived = await anAutomation(service, { triggerConfig: { eventName: 'ordered' }, steps: [EMAIL] })
    await service.call('PATCH', `automations/${archived}`, { status: 'ARCHIVED' })
    const other = await openWorkspace({ worker: false })
    await anAutomation(other, { triggerConfig: { eventName: 'ordered' }, steps: [EMAIL] })
    const contactId = await aContact(service)
    const { body } = await anEvent(service, contactId, 'ordered')
    await anEvent(service, contactId, 'ordered')
    const { matchingAutomations, started, refused } = body.data
    assert.deepEqual([matchingAutomations, started], [0, []])
    assert.partialDeepStrictEqual(refused, [{ automationId: paused, rule: 'PAUSED' }])
    assert.deepEqual(await decisionsOf(contactId), [
      ['ENTRY', 'PAUSED', paused, 'Was not enrolled: the automation was paused.'],
    ])
  })

  it('name paused automations that a sign-up, a tag and a list would have started', async () => {
    // In a workspace of its own: its automations listen for every sign-up.
    const own = await openWorkspace({ worker: false })
    const listId = await aList(own)
    const paused = await Promise.all([
      anAutomation(own, { trigger: 'SIGNUP', triggerConfig: {}, steps: [EMAIL] }),
      anAutomation(own, { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'vip' }, steps: [EMAIL] }),
      anAutomation(own, { trigger: 'LIST_ADDED', triggerConfig: { listId }, steps: [EMAIL] }),
    ])
    for (const id of paused) await own.call('PATCH', `automations/${id}`, { status: 'PAUSED' })
    const contactId = await aContact(own)
    assert.equal((await own.call('POST', `contacts/${contactId}/tags`, { tags: ['vip'] })).status, 200)
    assert.equal((await own.call('POST', `lists/${listId}/contacts`, { contactIds: [contactId] })).status, 200)
    const decisions = await decisionsOf(contactId, own)
    assert.deepEqual(
      decisions.map(([kind, rule, automationId]) => [kind, rule, automationId]).toSorted(),
      paused.map((id) => ['ENTRY', 'PAUSED', id]).toSorted(),
    )
  })

  it('name the automations that a request with `triggers: false` did not start', async () => {
    const welcome = await anAutomation(service, { trigger: 'SIGNUP', triggerConfig: {}, steps: [EMAIL] })
    await anAutomation(service, { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'other' }, steps: [EMAIL] })
    const contacts = [{ email: 'quiet@example.com' }]
    const { body } = await service.call('POST', 'contacts/bulk', { contacts, triggers: false })
    assert.equal(body.data.created, 1)
    assert.deepEqual(await decisionsOf('email:quiet@example.com'), [
      ['ENTRY', 'TRIGGERS_OFF', welcome, 'Was not enrolled: a request changed the contact with `triggers: false`.'],
    ])
    assert.deepEqual(await decisionsOf(await aContact(service)), [])
  })
})
