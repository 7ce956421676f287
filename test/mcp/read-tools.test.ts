import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SCOPES, type Scope } from '../../src/http/scopes.ts'
import { aContact, addressOf, anAutomation, anEvent, sentTo } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { type Agent, anAgent } from '../support/mcp.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('the tools of agents for reading', () => {
  let service: Service
  let other: Service
  before(async () => {
    service = await openWorkspace()
    other = await openWorkspace()
  })

  const agents: Agent[] = []
  after(() => Promise.all(agents.map((agent) => agent.close())))
  const agentWith = async (scopes: readonly Scope[], of = service) => {
    const agent = await anAgent(of, await of.newKey({ workspaceId: of.workspaceId, scopes }))
    agents.push(agent)
    return agent
  }

  it('are those that the scopes of the key allow', async () => {
    assert.deepEqual(await (await agentWith(['lists:read'])).tools(), ['get_workspace', 'list_lists'])
    assert.deepEqual(await (await agentWith(['campaigns:read', 'contacts:read'])).tools(), [
      ...['get_workspace', 'explain_campaign', 'list_campaigns', 'get_campaign', 'get_campaign_report'],
      ...['count_audience', 'list_contacts', 'get_contact', 'list_contact_events', 'list_event_names'],
      ...['list_messages', 'get_message', 'list_proposals', 'get_proposal'],
    ])
    const withoutContacts = await (await agentWith(['automations:read', 'segments:read'])).tools()
    assert.ok(!withoutContacts.includes('explain_automation') && !withoutContacts.includes('count_segment'))
  })

  it('describe their arguments by a JSON Schema', async () => {
    const { tools } = await (await agentWith(SCOPES)).client.listTools()
    assert.ok(tools.length > 30)
    for (const { name, inputSchema, annotations } of tools) {
      const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(inputSchema)
      assert.equal(validate({ unknown: true }), false, name)
      assert.equal(annotations?.readOnlyHint, /^(get|list|count|explain)_/.test(name), name)
    }
  })

  it('cannot be called without the scope', async () => {
    const agent = await agentWith(['lists:read'])
    await assert.rejects(agent.call('list_contacts'), /This key has no tool with this name/)
    await assert.rejects(agent.call('toString'), /This key has no tool with this name/)
  })

  it('return a resource with its revision, and pages of lists', async () => {
    const agent = await agentWith(SCOPES)
    const id = await anAutomation(service, { name: 'Trial' })
    await anAutomation(service, { name: 'Newer' })
    const { content } = await agent.call('get_automation', { id })
    assert.partialDeepStrictEqual(content, { data: { id, name: 'Trial', status: 'ACTIVE' }, revision: 1 })
    const page = await agent.call('list_automations', { page: 2, limit: 1 })
    assert.partialDeepStrictEqual(page.content, { data: [{ id, name: 'Trial' }], pagination: { page: 2, limit: 1 } })
    assert.equal(page.content.data.length, 1)
  })

  it('explain why a contact is not in an automation', async () => {
    const agent = await agentWith(['automations:read', 'contacts:read'])
    const contactId = await aContact(service)
    const id = await anAutomation(service, { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'dormant' } })
    const { content } = await agent.call('explain_automation', { id, contactId })
    assert.equal(content.data.outcome, 'NOT_ENTERED')
    assert.match(content.data.sentence, /dormant/)
  })

  it('name the error and the argument', async () => {
    const agent = await agentWith(SCOPES)
    const id = await anAutomation(service)
    const missing = await agent.call('get_automation', { id: '01981e61-0000-7000-8000-000000000001' })
    assert.deepEqual(missing.content, { error: 'Automation not found', code: 'automation_not_found' })
    assert.deepEqual((await agent.call('get_automation')).content, {
      ...{ error: 'id must be a string', code: 'invalid_request', param: '/id' },
    })
    const unknown = await agent.call('get_automation', { id, force: true })
    assert.equal(unknown.content.error, '"force" is not an argument of this tool')
    const page = await agent.call('list_automations', { limit: 1_000 })
    assert.deepEqual(page.content, {
      ...{ error: 'limit must be an integer from 1 to 100', code: 'invalid_request', param: '/limit' },
    })
    assert.equal((await agent.call('list_automations', { limit: ['1'] })).refused, 'invalid_request')
  })

  it('do not find the resources of another workspace', async () => {
    const agent = await agentWith(SCOPES)
    const id = await anAutomation(other)
    const contactId = await aContact(other)
    assert.equal((await agent.call('get_automation', { id })).refused, 'automation_not_found')
    assert.equal((await agent.call('get_contact', { id: contactId })).refused, 'contact_not_found')
    assert.equal((await agent.call('explain_automation', { id, contactId })).refused, 'automation_not_found')
  })

  it('have no personal data without contacts:read', async () => {
    const contactId = await aContact(service, { firstName: 'Unmistakable', metadata: { plan: 'secret-plan' } })
    const address = await addressOf(service, contactId)
    const steps = [
      {
        type: 'CONDITION',
        branches: [{ name: 'Has plan', if: { metadata: 'plan', is: 'present' }, steps: [] }],
        else: [],
      },
      {
        type: 'EMAIL',
        subject: 'Hello {{ contact.firstName }}',
        text: '{{ contact.email }} of {{ event.data.order }}',
      },
    ]
    const id = await anAutomation(service, {
      ...{ steps, triggerConfig: { eventName: 'order.placed' } },
      entry: { concurrency: { key: 'event.data.order' } },
    })
    await anEvent(service, contactId, 'order.placed', { order: 'secret-order' })
    await sentTo(service, contactId)
    const member = await aMember(service, 'editor')
    await member.browser.ask('PUT', `automations/${id}/draft`, {
      ...{ body: { content: {}, basedOn: 1 }, workspaceId: service.workspaceId, headers: { 'If-Match': '"0"' } },
    })
    const agent = await agentWith(SCOPES.filter((scope) => scope !== 'contacts:read'))
    const given: Record<string, Record<string, unknown>> = {
      ...{ get_automation: { id }, get_automation_draft: { id }, get_automation_stats: { id } },
      ...{ get_automation_report: { id }, list_enrollments: { id } },
      ...{ list_enrollments_of_contact: { id: contactId }, list_decisions_of_contact: { id: contactId } },
    }
    const decided = await eventually('the condition is decided', async () => {
      const { content } = await agent.call('list_decisions_of_contact', { id: contactId })
      return (content as { data: object[] }).data[0]
    })
    assert.ok(!('detail' in decided))
    for (const [tool, args] of Object.entries(given)) {
      const { text, refused } = await agent.call(tool, args)
      assert.equal(refused, undefined, `${tool}: ${text}`)
      for (const personal of [address, 'Unmistakable', 'secret-', member.email])
        assert.ok(!text.includes(personal), text)
    }
    const reader = await agentWith(SCOPES)
    assert.match((await reader.call('get_contact', { id: contactId })).text, /Unmistakable.*secret-plan/)
  })

  it('take an API key only, and only POST', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const headers = { accept: 'application/json, text/event-stream' }
    const post = (body: unknown, options: object = {}) => service.call('POST', '/mcp', body, { headers, ...options })
    assert.equal((await post(message, { key: null })).refused, '401 key_missing')
    const { browser } = await aMember(service)
    const asMember = { key: null, headers: { ...headers, ...browser.headers(service.workspaceId) } }
    assert.equal((await post(message, asMember)).refused, '403 keys_only')
    assert.equal((await service.call('GET', '/mcp')).refused, '405 method_not_allowed')
    assert.equal((await post([message, message])).refused, '400 body_not_an_object')
  })

  it('serve clients of the protocol of 2025 and of 2026', async () => {
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new Client({ name: 'A test', version: '1.0.0' }, { versionNegotiation: { mode } })
      const url = new URL(`http://127.0.0.1:${service.port}/mcp`)
      const requestInit = { headers: { authorization: `Bearer ${service.key}` } }
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
      const { structuredContent } = await client.callTool({ name: 'get_workspace', arguments: {} })
      assert.equal((structuredContent as { data: { id: string } }).data.id, service.workspaceId)
      assert.equal(client.getNegotiatedProtocolVersion(), mode === 'legacy' ? '2025-11-25' : '2026-07-28')
      await client.close()
    }
  })
})
