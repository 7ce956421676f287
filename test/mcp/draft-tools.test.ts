import assert from 'node:assert/strict'
import type { Scope } from '../../src/http/scopes.ts'
import { aDraftCampaign } from '../support/campaigns.ts'
import { aContact, aList, anAutomation, EMAIL } from '../support/factories.ts'
import { type Agent, anAgent } from '../support/mcp.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('the tools of agents for drafts and proposals', () => {
  const SCOPES: Scope[] = ['automations:read', 'campaigns:read', 'templates:read', 'drafts:write']
  let service: Service
  let agent: Agent
  let key: string
  before(async () => {
    service = await openWorkspace({ worker: false })
    key = await service.newKey({ workspaceId: service.workspaceId, scopes: SCOPES, name: 'Agent' })
    agent = await anAgent(service, key)
  })
  after(() => agent.close())

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the tests look into answers of all shapes
  const get = async (path: string): Promise<any> => (await service.call('GET', path)).body.data
  const approve = async (id: string) => {
    const { browser } = await aMember(service, 'editor')
    return browser.ask('POST', `proposals/${id}/approve`, { workspaceId: service.workspaceId })
  }
  const STEPS = [{ ...EMAIL, subject: 'A better subject' }]

  it('are those of the scope drafts:write', async () => {
    const names = (await agent.tools()).filter((name) => !/^(get|list|count|explain)_/.test(name))
    assert.deepEqual(names, [
      ...['create_automation', 'save_automation_draft', 'create_campaign', 'update_campaign', 'create_template'],
      ...['propose_publish_automation', 'propose_activate_automation', 'propose_send_campaign'],
    ])
    const reader = await anAgent(
      service,
      await service.newKey({ workspaceId: service.workspaceId, scopes: ['automations:read'] }),
    )
    assert.ok((await reader.tools()).every((name) => /^(get|list)_/.test(name)))
    await reader.close()
  })

  it('create an automation as a draft, never an active one', async () => {
    const fields = { name: 'Win back', trigger: 'TAG_ADDED', triggerConfig: { tagName: 'dormant' }, steps: STEPS }
    const { content } = await agent.call('create_automation', fields)
    assert.partialDeepStrictEqual(content, { data: { name: 'Win back', status: 'DRAFT' }, revision: 1 })
    assert.partialDeepStrictEqual(await get(`automations/${content.data.id}`), {
      status: 'DRAFT',
      trigger: 'TAG_ADDED',
    })
    const active = await agent.call('create_automation', { ...fields, status: 'ACTIVE' })
    assert.deepEqual([active.refused, active.content.param], ['invalid_request', '/status'])
    const byRequest = await service.call('POST', 'automations', { ...fields, status: 'ACTIVE' }, { key })
    assert.equal(byRequest.refused, '403 scope_missing')
    assert.equal(
      (await service.call('PATCH', `automations/${content.data.id}`, { status: 'ACTIVE' }, { key })).refused,
      '403 scope_missing',
    )
  })

  it('save a draft of an automation in the form of the builder, without an effect', async () => {
    const id = await anAutomation(service, { name: 'Trial' })
    const { content: read } = await agent.call('get_automation', { id })
    const changed = {
      id,
      basedOn: read.revision,
      name: 'Trial',
      trigger: 'SIGNUP',
      steps: [...STEPS, { type: 'WAIT', delayMinutes: 5 }],
    }
    const { content } = await agent.call('save_automation_draft', { ...changed, revision: 0 })
    assert.partialDeepStrictEqual(content, { data: { basedOn: 1, isStale: false } })
    const { content: stored } = await agent.call('get_automation_draft', { id })
    const { sequence } = stored.data.content
    assert.partialDeepStrictEqual(sequence, {
      ...{ name: 'Trial', trigger: 'SIGNUP', onSendFailure: 'CONTINUE', goal: null },
      steps: [
        { type: 'EMAIL', subject: 'A better subject' },
        { type: 'WAIT', delayMinutes: 5 },
      ],
    })
    for (const step of sequence.steps) assert.match(step.id, /^[0-9a-f-]{36}$/)
    const again = await agent.call('save_automation_draft', { ...changed, revision: 0 })
    assert.equal(again.refused, 'revision_conflict')
    assert.equal((await get(`automations/${id}`)).version, 1)
  })

  it('write campaigns and templates', async () => {
    const created = await agent.call('create_campaign', { name: 'News', subject: 'First', text: 'Hello' })
    const { id } = created.content.data
    const changed = await agent.call('update_campaign', {
      id,
      revision: created.content.revision,
      subject: 'Second',
      text: 'Hello',
    })
    assert.partialDeepStrictEqual(changed.content, { data: { status: 'DRAFT', subject: 'Second' }, revision: 2 })
    const stale = await agent.call('update_campaign', { id, revision: 1, name: 'Third' })
    assert.equal(stale.refused, 'revision_conflict')
    const missing = await agent.call('update_campaign', { id, name: 'Third' })
    assert.equal(missing.content.error, 'revision is required')
    const template = await agent.call('create_template', {
      name: 'T',
      subject: 'x',
      text: 'Hi {{ contact.firstName }}',
    })
    assert.equal((await get(`templates/${template.content.data.id}`)).subject, 'x')
  })

  it('propose what a member approves', async () => {
    const id = await anAutomation(service, { status: 'DRAFT' })
    const activation = await agent.call('propose_activate_automation', { id, revision: 1, reason: 'It is complete.' })
    assert.partialDeepStrictEqual(activation.content.data, {
      kind: 'PUBLISH_AUTOMATION',
      status: 'PENDING',
      automationId: id,
      content: { status: 'ACTIVE' },
    })
    assert.equal((await get(`automations/${id}`)).status, 'DRAFT')
    assert.equal((await approve(activation.content.data.id)).status, 200)
    assert.equal((await get(`automations/${id}`)).status, 'ACTIVE')
    const change = { id, revision: 2, reason: 'Shorter.', steps: STEPS }
    const outdated = await agent.call('propose_publish_automation', { ...change, revision: 1 })
    assert.equal(outdated.refused, 'revision_conflict')
    const publication = await agent.call('propose_publish_automation', change)
    const proposalId = publication.content.data.id
    assert.partialDeepStrictEqual((await agent.call('get_proposal', { id: proposalId })).content.data, {
      status: 'PENDING',
      isOutdated: false,
      rehearsalId: (await get(`proposals/${proposalId}`)).rehearsalId,
    })
    assert.partialDeepStrictEqual(await get(`rehearsals/${publication.content.data.rehearsalId}`), { automationId: id })
    assert.equal((await approve(proposalId)).status, 200)
    assert.equal((await get(`automations/${id}`)).steps[0].subject, 'A better subject')
    const decided = await agent.call('list_proposals', { status: 'APPROVED' })
    assert.deepEqual(
      decided.content.data.map((each: { id: string }) => each.id),
      [proposalId, activation.content.data.id],
    )
    assert.ok(!decided.text.includes('@example.com'))
  })

  it('propose to send a campaign at a time', async () => {
    const listId = await aList(service)
    await aContact(service, { listId })
    const id = await aDraftCampaign(service, [listId])
    const { content } = await agent.call('propose_send_campaign', {
      id,
      revision: 1,
      reason: 'Ready.',
      at: '2037-12-01T09:00:00Z',
    })
    assert.partialDeepStrictEqual(content.data, {
      kind: 'SEND_CAMPAIGN',
      campaignId: id,
      content: { at: '2037-12-01T09:00:00Z' },
    })
    assert.equal((await get(`campaigns/${id}`)).status, 'DRAFT')
    const proposedBy = (await get(`proposals/${content.data.id}`)).proposedBy
    assert.equal(proposedBy, 'Agent')
    assert.equal((await approve(content.data.id)).status, 200)
    assert.equal((await get(`campaigns/${id}`)).scheduledAt, '2037-12-01T09:00:00.000Z')
  })
})
