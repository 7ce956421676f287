import assert from 'node:assert/strict'
import { pauseAutomatically, pauseScheduledCampaigns } from '../../src/campaigns/queries.ts'
import { suppressMany } from '../../src/consent/suppress.ts'
import { applyChange } from '../../src/contacts/apply-change.ts'
import { finishEnrollment } from '../../src/enrollments/record-enrollment.ts'
import { deleteListRow } from '../../src/lists/queries.ts'
import { expireLeases } from '../../src/messages/index.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, addressOf, aList, anAutomation, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { claimStep, stepOf } from '../support/step-claims.ts'
import { aWebhook, eventsOf, recorded } from '../support/webhook-events.ts'

/** Several statements make the same change. Each of them records its event. */
describe('the statements that record events of webhooks', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
    await aWebhook(service)
  })

  const em = () => service.context.orm.em.fork()
  const typesOf = async (contactId: string) => (await eventsOf(service, { contactId })).map(({ type }) => type)
  const ofCampaign = async (id: string) =>
    (await eventsOf(service)).filter(({ data }) => data['id'] === id).map(({ type, data }) => [type, data])

  async function aCampaign(): Promise<string> {
    const listId = await aList(service)
    await service.call('POST', `lists/${listId}/contacts`, { contactId: await aContact(service) })
    const fields = { name: 'News', subject: 'News', text: 'x', audience: { listIds: [listId] } }
    const { body } = await service.call('POST', 'campaigns', fields)
    await service.call('POST', `campaigns/${body.data.id}/schedule`, { at: '2999-01-01T00:00:00Z' })
    return body.data.id as string
  }

  it('record that a list is deleted with its members', async () => {
    const [listId, id] = [await aList(service), await aContact(service)]
    await service.call('POST', `lists/${listId}/contacts`, { contactId: id })
    assert.equal((await service.call('DELETE', `lists/${listId}`)).status, 200)
    assert.deepEqual(await typesOf(id), ['contact.created', 'list.joined', 'list.left'])
  })

  it('record that a contact leaves a list that is deleted while they join it', async () => {
    const [listId, id] = [await aList(service), await aContact(service)]
    await service.call('POST', `lists/${listId}/contacts`, { contactId: id })
    await em().transactional((unit) => deleteListRow(unit, service.workspaceId, listId))
    assert.deepEqual(await typesOf(id), ['contact.created', 'list.joined', 'list.left'])
  })

  it('record that Dripline pauses a campaign, and that a started one is cancelled', async () => {
    const id = await aCampaign()
    await sql(em(), `update campaigns set status = 'SENDING', started_at = now() where id = $1::uuid`, [id])
    assert.equal(await pauseAutomatically(em(), id, 'Too many bounces'), true)
    await service.call('POST', `campaigns/${id}/cancel`, {})
    const state = { id, name: 'News', recipientCount: 0 }
    assert.deepEqual(await ofCampaign(id), [
      ['campaign.paused', { ...state, status: 'PAUSED', reason: 'Too many bounces' }],
      ['campaign.finished', { ...state, status: 'CANCELLED', reason: 'Too many bounces' }],
    ])
  })

  it('record that a restore pauses scheduled campaigns', async () => {
    const id = await aCampaign()
    await pauseScheduledCampaigns(em())
    const data = { id, name: 'News', recipientCount: 0, status: 'PAUSED', reason: null }
    assert.deepEqual(await ofCampaign(id), [['campaign.paused', data]])
  })

  it('record the opt-outs of an import', async () => {
    const id = await aContact(service)
    const input = { email: await addressOf(service, id), reason: 'IMPORTED' } as const
    await em().transactional((unit) => suppressMany(unit, service.workspaceId, [input]))
    assert.deepEqual(await typesOf(id), ['contact.created', 'contact.unsubscribed'])
  })

  it('record that an automation removes a tag and a membership', async () => {
    const [listId, id] = [await aList(service), await aContact(service, { tags: ['Trial'] })]
    await service.call('POST', `lists/${listId}/contacts`, { contactId: id })
    const of = { workspaceId: service.workspaceId, contactId: id, depth: 0 }
    const change = { removeTags: ['trial', 'unknown'], removeFromLists: [listId] }
    await em().transactional((unit) => applyChange(unit, of, change))
    assert.deepEqual(await typesOf(id), ['contact.created', 'list.joined', 'contact.updated', 'list.left'])
  })

  it('record an enrollment that is cancelled before it was recorded', async () => {
    const [automationId, contactId] = [await anAutomation(service), await aContact(service)]
    const entry = { id: newId(), automationId, contactId, concurrencyKey: '', dedupKey: null, enrolledAt: new Date() }
    await finishEnrollment(em(), { status: 'CANCELLED', by: 'CANCELLATION' }, [], entry)
    assert.deepEqual(await typesOf(contactId), ['contact.created', 'enrollment.started', 'enrollment.cancelled'])
  })

  it('record that a message is unconfirmed because its sender died', async () => {
    const [automationId, contactId] = [await anAutomation(service), await aContact(service)]
    await enroll(service, automationId, contactId)
    const { message } = await claimStep(service, await stepOf(service, automationId, contactId))
    await sql(em(), `update messages set lease_until = now() - interval '1 second' where id = $1::uuid`, [message.id])
    await expireLeases(em(), { error: 'It died', graceSeconds: 0, limit: 100 })
    const { data } = await recorded(service, contactId, 'message.unconfirmed')
    assert.deepEqual([data['id'], data['reason'], data['contactId']], [message.id, 'It died', contactId])
    // Its workflow does not know that the message is final. Other suites compare the positions of all enrollments.
    await service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)
  })
})
