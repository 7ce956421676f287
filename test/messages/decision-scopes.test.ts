import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Scope } from '../../src/http/scopes.ts'
import { aCampaign } from '../support/campaigns.ts'
import { aContact, aList, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { claimStep, stepOf } from '../support/step-claims.ts'

describe('decisions about messages of automations and campaigns', () => {
  let service: Service
  let keys: Record<'automations' | 'campaigns', string>
  before(async () => {
    service = await openWorkspace({ worker: false })
    const keyOf = (scope: Scope) => service.newKey({ workspaceId: service.workspaceId, scopes: [scope] })
    keys = { automations: await keyOf('automations:write'), campaigns: await keyOf('campaigns:write') }
  })
  const em = () => service.context.orm.em.fork()

  /** Creates a message of each that has failed or is unconfirmed. */
  async function both(status: 'FAILED' | 'UNCONFIRMED') {
    const listId = await aList(service)
    const contactId = await aContact(service, { listId })
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    await enroll(service, automationId, contactId)
    const { id: ofAutomation } = (await claimStep(service, await stepOf(service, automationId, contactId))).message
    const campaignId = await aCampaign(service, [listId])
    const ofCampaign = newId()
    await sql(em(), `update campaigns set status = 'SENT', started_at = now() where id = $1`, [campaignId])
    await sql(
      em(),
      `insert into messages (id, workspace_id, contact_id, campaign_id, status, claim, attempts, due_at)
       values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, 'SENDING', gen_random_uuid(), 1, now())`,
      [ofCampaign, service.workspaceId, contactId, campaignId],
    )
    const finalize = 'update messages set status = $2, lease_until = null, final_at = now() where contact_id = $1::uuid'
    await sql(em(), finalize, [contactId, status])
    return { contactId, automationId, campaignId, ids: { automations: ofAutomation, campaigns: ofCampaign } }
  }
  const SOURCES = ['automations', 'campaigns'] as const
  const other = { automations: 'campaigns', campaigns: 'automations' } as const

  it('requires the write scope of the automation or campaign', async () => {
    const { ids } = await both('FAILED')
    for (const source of SOURCES) {
      const path = `messages/${ids[source]}/retry`
      const refused = await service.call('POST', path, undefined, { key: keys[other[source]] })
      assert.equal(refused.refused, '403 scope_missing', source)
      assert.match(JSON.stringify(refused.body), new RegExp(`Missing required scope: ${source}:write`))
      assert.equal((await service.call('POST', path, undefined, { key: keys[source] })).status, 202, source)
    }
    const none = await service.newKey({ workspaceId: service.workspaceId, scopes: ['contacts:write'] })
    for (const path of [`messages/${ids.campaigns}/retry`, `messages/${newId()}/dismiss`])
      assert.equal((await service.call('POST', path, undefined, { key: none })).refused, '403 scope_missing')
    const absent = await service.call('POST', `messages/${newId()}/retry`, undefined, { key: keys.campaigns })
    assert.equal(absent.refused, '404 message_not_found')
  })

  it('skips messages without the required scope in a request for many', async () => {
    const { contactId, automationId, campaignId } = await both('FAILED')
    const retry = (source: (typeof SOURCES)[number], body: object) =>
      service.call('POST', 'messages/retry', { status: 'FAILED', ...body }, { key: keys[source] })
    assert.equal((await retry('automations', { campaignId })).refused, '403 scope_missing')
    assert.equal((await retry('campaigns', { automationId })).refused, '403 scope_missing')
    const pendingRetries = async () =>
      sql<{ is_of_campaign: boolean }>(
        em(),
        'select campaign_id is not null as is_of_campaign from messages where contact_id = $1::uuid and retry_at is not null',
        [contactId],
      )
    assert.equal((await retry('automations', { contactId })).body.data.retried, 1)
    assert.deepEqual(await pendingRetries(), [{ is_of_campaign: false }])
    assert.equal((await retry('campaigns', { contactId })).body.data.retried, 1)
    assert.equal((await pendingRetries()).length, 2)
  })

  it('requires the same scope to dismiss messages', async () => {
    const { ids } = await both('UNCONFIRMED')
    for (const source of SOURCES) {
      const path = `messages/${ids[source]}/dismiss`
      const refused = await service.call('POST', path, undefined, { key: keys[other[source]] })
      assert.equal(refused.refused, '403 scope_missing')
      assert.equal((await service.call('POST', path, undefined, { key: keys[source] })).status, 200)
    }
  })
})
