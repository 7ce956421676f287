import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { operations } from '../../src/runtime/operations.ts'
import { createInvitation } from '../../src/accounts/invitations.ts'
import { beginSession, listSessions } from '../../src/accounts/sessions.ts'
import { createApiKey } from '../../src/workspaces/create-api-key.ts'
import { aMember, type SignedInMember } from '../support/members.ts'
import { createSegment } from '../../src/segments/segments.ts'
import { aContact, activityOf, aList, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { aWebhook } from '../support/webhook-events.ts'
import type { Answer, Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'

const capitals = (id: string) => id.toUpperCase()

/** A spelling that Postgres accepts and the API does not. */
const inBraces = (id: string) => `{${id}}`

/** The query parameters that contain IDs. */
const QUERY_IDS = { contactId: 'contacts', listId: 'lists', segmentId: 'segments' }
const TOMORROW = new Date(Date.now() + 24 * 60 * 60_000).toISOString()
/** A GIF of one pixel. */
const DOT = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const CONTENT = { subject: 'x', text: 'x' }

type Operation = (typeof operations)[number]
interface Statuses {
  message?: string
  campaign?: string
  import?: string
}

/** The statuses that resources need for an operation. */
const STATUSES: Record<string, Statuses> = {
  dismissMessage: { message: 'UNCONFIRMED' },
  pauseCampaign: { campaign: 'SCHEDULED' },
  resumeCampaign: { campaign: 'PAUSED' },
  cancelCampaign: { campaign: 'SCHEDULED' },
  uploadImportChunk: { import: 'UPLOADING' },
  stopImport: { import: 'RUNNING' },
}

/** Returns the IDs of resources, each of which is created when it is used for the first time. */
function openResources(service: Service, statuses: Statuses = {}) {
  const { workspaceId, context } = service
  const { em } = context.orm
  const ids = new Map<string, Promise<string>>()
  let owner: Promise<SignedInMember> | undefined
  /** A member who may use the resources that API keys cannot access. */
  const signedIn = () => (owner ??= aMember(service))
  const run = (text: string, parameters: unknown[]) => sql(em.fork(), text, parameters)
  const post = async (path: string, body?: object) => (await service.call('POST', path, body)).body.data.id as string

  const creators: Record<string, () => Promise<string>> = {
    lists: () => aList(service),
    contacts: async () => aContact(service, { listId: await read('lists'), tags: ['vip'] }),
    segments: async () =>
      (await createSegment(em, { workspaceId, name: 'S', condition: { list: await read('lists') } })).id,
    automations: async () => {
      const id = await anAutomation(service, { steps: [wait(60), EMAIL] })
      await service.call('POST', `automations/${id}/publish`, { inside: 'MOVE' })
      await service.call('PUT', `automations/${id}/draft`, { content: { steps: [] }, basedOn: 1 })
      return id
    },
    enrollments: async () => {
      await enroll(service, await read('automations'), await read('contacts'))
      return read('contacts')
    },
    messages: async () => {
      const id = newId()
      await run(
        `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim)
         select $1::uuid, workspace_id, contact_id, automation_id, id, gen_random_uuid(), $3, gen_random_uuid()
         from enrollments where contact_id = $2::uuid`,
        [id, await read('enrollments'), statuses.message ?? 'FAILED'],
      )
      return id
    },
    campaigns: async () => {
      await read('contacts')
      const id = await post('campaigns', { name: 'C', ...CONTENT, audience: { listIds: [await read('lists')] } })
      await run(
        `update campaigns set status = $2, paused_from = 'SCHEDULED', scheduled_at = now() + interval '1 day'
         where id = $1::uuid`,
        [id, statuses.campaign ?? 'DRAFT'],
      )
      return id
    },
    imports: async () => {
      const { import: status = 'DRAFT' } = statuses
      const file = status === 'UPLOADING' ? {} : { text: 'email\n', consent: 'SUBSCRIBED' }
      const id = await post('imports', { name: 'x.csv', ...file })
      await run('update imports set status = $2 where id = $1::uuid', [id, status])
      return id
    },
    'media-files': () => post('media-files', { name: 'dot.gif', content: DOT }),
    templates: () => post('templates', { name: 'T', ...CONTENT }),
    proposals: async () =>
      post(`automations/${await read('automations')}/proposals`, { content: { name: 'New' }, reason: 'x' }),
    rehearsals: async () => post(`automations/${await read('automations')}/rehearse`),
    emails: () => post('emails', { to: 'ada@example.com', ...CONTENT, scheduledAt: TOMORROW }),
    suppressions: () => post('suppressions', { email: `suppressed-${newId()}@example.com` }),
    // No server listens at its URL.
    webhooks: async () => (await aWebhook(service, { url: 'http://127.0.0.1:9/', events: ['import.finished'] })).id,
    deliveries: async () => post(`webhooks/${await read('webhooks')}/test`),
    sessions: async () => {
      const { accountId } = await signedIn()
      await beginSession(em.fork(), accountId, 'Another one')
      return (await listSessions(em, accountId))[1]!.id
    },
    members: async () => (await aMember(service, 'viewer')).accountId,
    invitations: async () =>
      (await createInvitation(em, { workspaceIds: [workspaceId], role: 'viewer' })).invitation.id,
    'api-keys': async () => (await createApiKey(em, { workspaceId, name: 'k', scopes: ['lists:read'] })).apiKey.id,
    passkeys: async () => {
      const id = newId()
      await run(
        `insert into passkeys (id, account_id, credential_id, public_key, counter, transports, name)
         values ($1::uuid, $2::uuid, $1, 'none', 0, '{}', 'Laptop')`,
        [id, (await signedIn()).accountId],
      )
      return id
    },
  }
  function read(kind: string): Promise<string> {
    const create = creators[kind]
    assert.ok(create, `add ${kind} to this test`)
    const id = ids.get(kind) ?? create()
    ids.set(kind, id)
    return id
  }
  return { read, ids, signedIn }
}
type Resources = ReturnType<typeof openResources>

describe('IDs', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
    // Live workspaces cannot skip waits.
    const toTest = `update workspaces set mode = 'test' where id = $1::uuid`
    await sql(service.context.orm.em.fork(), toTest, [service.workspaceId])
  })
  // A workspace can have 50 webhooks, and three rehearsals that run.
  afterEach(async () => {
    for (const table of ['webhook_endpoints', 'rehearsals'])
      await sql(service.context.orm.em.fork(), `delete from ${table} where workspace_id = $1::uuid`, [
        service.workspaceId,
      ])
  })

  const same = (id: string) => id

  /** Calls an operation, with IDs spelled by `inPath` in the path and by `inBody` in the body and the query. */
  async function ask(
    operation: Operation,
    resources: Resources,
    inPath: (id: string) => string,
    inBody: (id: string) => string,
  ): Promise<Answer> {
    const { id, method, path, body, query } = operation
    const spelled = async (kind: string) => inBody(await resources.read(kind))
    const contactId = async () => ({ contactId: await spelled('contacts') })
    const listId = async () => ({ listId: await spelled('lists') })
    const onList = async () => ({ trigger: 'LIST_ADDED', triggerConfig: await listId() })
    const ofNewContact = async () => ({ email: `${newId()}@example.com`, ...(await listId()) })
    const bodies: Record<string, () => object | Promise<object>> = {
      upsertContact: ofNewContact,
      upsertContacts: async () => ({ contacts: [await ofNewContact()] }),
      fireEvent: () => ({ name: 'nothing listens' }),
      recordEvent: async () => ({
        name: 'nothing listens',
        ...(await contactId()),
        lists: [await spelled('lists')],
      }),
      recordEvents: async () => ({ events: [{ name: 'nothing listens', ...(await contactId()) }] }),
      tagContact: () => ({ tags: ['new'] }),
      createList: () => ({ name: 'x' }),
      createSegment: async () => ({ name: 'x', condition: { list: await spelled('lists') } }),
      updateSegment: () => ({ name: 'x' }),
      updateList: () => ({ name: 'x' }),
      updateMediaFile: () => ({ name: 'x' }),
      updateContact: () => ({ firstName: 'x' }),
      addToList: contactId,
      createAutomation: async () => ({ name: 'x', ...(await onList()) }),
      updateAutomation: onList,
      replaceSteps: () => ({ steps: [{ type: 'WAIT', delayMinutes: 5 }] }),
      enrollContact: contactId,
      replaceTemplate: () => ({ name: 'x', ...CONTENT }),
      previewTemplate: contactId,
      testTemplate: async () => ({ to: [(await aMember(service, 'viewer')).email] }),
      updateCampaign: () => ({ name: 'x' }),
      scheduleCampaign: () => ({ at: '2030-01-01T00:00:00Z' }),
      retryMessage: () => ({ evenIfSent: true }),
      sendEmail: async () => ({ to: 'ada@example.com', templateId: await spelled('templates') }),
      saveDraft: () => ({ content: {}, basedOn: 1 }),
      publishAutomation: onList,
      previewPublication: () => ({}),
      rehearseAutomation: contactId,
      proposeAutomationChange: () => ({ content: { name: 'New' }, reason: 'x' }),
      proposeCampaignSending: () => ({ content: { at: '2030-01-01T00:00:00Z' }, reason: 'x' }),
      createImport: async () => ({ name: 'x.csv', ...(await listId()) }),
      uploadImportChunk: () => ({ position: 0, text: 'email\n', isLast: true }),
      setImportMapping: async () => ({ ...(await listId()), consent: 'SUBSCRIBED' }),
      updateMember: () => ({ role: 'viewer' }),
      updateApiKey: () => ({ rateLimit: 100 }),
      rotateApiKey: () => ({ overlapHours: 1 }),
      updateWebhook: () => ({ events: ['*'] }),
      replayWebhookDeliveries: () => ({ since: '2026-01-01' }),
    }
    assert.ok(!body || bodies[id], `${id}: add a request body for it to this test`)
    if (path.includes('/enrollments/')) await resources.read('enrollments')
    const collection = /([\w-]+)\/\{id\}/.exec(path)?.[1] ?? path.split('/')[1]!
    let filled = path.slice(1).replace('{tag}', 'vip')
    for (const [name, kind] of Object.entries({ id: collection, contactId: 'contacts', deliveryId: 'deliveries' }))
      if (filled.includes(`{${name}}`))
        filled = filled.replace(`{${name}}`, encodeURIComponent(inPath(await resources.read(kind))))
    const search = new URLSearchParams()
    for (const [name, kind] of Object.entries(QUERY_IDS))
      if (name in (query?.fields ?? {})) search.set(name, await spelled(kind))
    const sent = body ? await bodies[id]!() : undefined
    const options =
      operation.scope === undefined
        ? { key: null, headers: (await resources.signedIn()).browser.headers(service.workspaceId) }
        : {}
    return service.call(method, search.size > 0 ? `${filled}?${search.toString()}` : filled, sent, options)
  }

  /** Compares the responses for IDs in lower case and in capitals. */
  async function acceptsCapitals(operation: Operation) {
    const { id, method } = operation
    const [plain, inCapitals] = [openResources(service, STATUSES[id]), openResources(service, STATUSES[id])]
    const expected = await ask(operation, plain, same, same)
    const answer = await ask(operation, inCapitals, capitals, capitals)
    assert.ok(expected.status < 300, JSON.stringify(expected.body))
    assert.equal(answer.status, expected.status, JSON.stringify(answer.body))
    if (method !== 'GET' && !operation.open && operation.audit !== 'never' && !operation.changesNothing) {
      const entries = await sql<{ operation: string; count: number }>(
        service.context.orm.em.fork(),
        `select operation, count(*)::integer as count from audit_entries
         where request_id = any($1::text[]) group by 1 order by 1`,
        [[expected, answer].map(({ headers }) => headers.get('x-request-id'))],
      )
      // An approval is also an entry of the automation that it publishes.
      const alsoWritten = id === 'approveProposal' ? [{ operation: 'publishAutomation', count: 2 }] : []
      assert.deepEqual(entries, [{ operation: id, count: 2 }, ...alsoWritten])
    }
    const text = JSON.stringify(answer.body)
    for (const known of await Promise.all(inCapitals.ids.values()))
      assert.ok(!text.includes(capitals(known)), `echoed ${known}`)
    // The responses differ only in names and times.
    const shape = (value: unknown) => Object.keys((value as { data: object }).data)
    assert.deepEqual(shape(answer.body), shape(expected.body))
  }

  async function rejectsBracesInPath(operation: Operation) {
    const resources = openResources(service)
    const missing = await ask(operation, resources, () => '00000000-0000-7000-8000-000000000000', same)
    const answer = await ask(operation, resources, inBraces, same)
    assert.equal(missing.status, 404)
    assert.deepEqual([answer.refused, answer.body], [missing.refused, missing.body])
  }

  async function rejectsBracesElsewhere(operation: Operation) {
    const answer = await ask(operation, openResources(service), same, inBraces)
    const inBulk = { upsertContacts: 'List not found in workspace', recordEvents: 'Contact not found' }[operation.id]
    if (inBulk !== undefined) assert.equal(answer.body.data.errors[0].error, inBulk)
    else
      assert.match(answer.refused ?? '', /^404 (contact|list|segment|template)_not_found$/, JSON.stringify(answer.body))
  }

  for (const operation of operations) {
    const { method, path, query, id } = operation
    const inPath = path.includes('{id}')
    const elsewhere =
      Object.keys(QUERY_IDS).some((name) => name in (query?.fields ?? {})) ||
      /upsert|addTo|createAut|updateAut|enroll|record|sendEmail$/.test(id)
    if (!inPath && !elsewhere) continue

    it(`may be in capitals but not in braces at ${method} ${path}`, () =>
      checkRows(
        {
          'in capitals': acceptsCapitals,
          ...(inPath && { 'in braces in the path': rejectsBracesInPath }),
          ...(elsewhere &&
            !/^(create|update)Automation$/.test(id) && { 'in braces elsewhere': rejectsBracesElsewhere }),
        },
        (check) => check(operation),
      ))
  }
})

describe('IDs in capitals', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  it('trigger an automation, which returns them in lower case', async () => {
    const listId = await aList(service)
    const fields = { trigger: 'LIST_ADDED', triggerConfig: { listId: capitals(listId) } }
    const automationId = await anAutomation(service, fields)
    const { body } = await service.call('GET', `automations/${capitals(automationId)}`)
    assert.deepEqual(body.data.triggerConfig, { listId })
    const contactId = await aContact(service)
    await service.call('POST', `lists/${capitals(listId)}/contacts`, { contactIds: [capitals(contactId), contactId] })
    await eventually('the email is sent', async () =>
      (await activityOf(service, capitals(contactId))).length === 1 ? true : undefined,
    )
  })

  it('keep a step', async () => {
    const automationId = await anAutomation(service)
    const { body } = await service.call('GET', `automations/${automationId}`)
    const [step] = body.data.steps as { id: string }[]
    const steps = [{ ...EMAIL, id: capitals(step!.id) }]
    const changed = await service.call('PUT', `automations/${automationId}/steps`, { steps })
    assert.equal(changed.body.data.steps[0].id, step!.id)
  })

  it('do not enroll or mail a contact again', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { steps: [EMAIL, wait(60), EMAIL] })
    const answers = [
      await enroll(service, automationId, contactId),
      await enroll(service, automationId, capitals(contactId)),
      await enroll(service, capitals(automationId), contactId),
      await enroll(service, capitals(automationId), capitals(contactId)),
    ]
    assert.deepEqual(
      answers.map(({ body }) => body.data.enrolled as boolean),
      [true, false, false, false],
    )
    for (const { body } of answers)
      assert.deepEqual([body.data.contactId, body.data.automationId], [contactId, automationId])
    await eventually('the email is sent', async () =>
      (await activityOf(service, contactId)).length > 0 ? true : undefined,
    )
    // No other contact is enrolled, who could be mailed later.
    const { body } = await service.call('GET', 'automations?limit=100')
    const summary = (body.data as { id: string; enrolledCount: number }[]).find(({ id }) => id === automationId)
    assert.equal(summary?.enrolledCount, 1)
    assert.equal((await activityOf(service, contactId)).length, 1)
    const erased = await service.call('DELETE', `contacts/${capitals(contactId)}`)
    assert.deepEqual([erased.status, erased.body.data.id], [200, contactId])
    const workflow = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    await eventually('the workflow has ended', async () =>
      (await workflow.describe()).status.name === 'RUNNING' ? undefined : true,
    )
  })
})
