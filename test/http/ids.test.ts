import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import type { EntityManager } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { operations } from '../../src/runtime/operations.ts'
import { createInvitation } from '../../src/accounts/invitations.ts'
import { beginSession, listSessions } from '../../src/accounts/sessions.ts'
import { createApiKey } from '../../src/workspaces/create-api-key.ts'
import { aMember } from '../support/members.ts'
import { createSegment } from '../../src/segments/segments.ts'
import { aContact, activityOf, aList, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { aWebhook, WEBHOOK_ENV } from '../support/webhook-events.ts'
import { startService, type Answer, type Service } from '../support/service.ts'

const capitals = (id: string) => id.toUpperCase()

/** A spelling that Postgres accepts and the API does not. */
const inBraces = (id: string) => `{${id}}`

/** Inserts a passkey. */
async function aPasskey(em: EntityManager, accountId: string): Promise<string> {
  const id = newId()
  await sql(
    em,
    `insert into passkeys (id, account_id, credential_id, public_key, counter, transports, name)
     values ($1::uuid, $2::uuid, $1, 'none', 0, '{}', 'Laptop')`,
    [id, accountId],
  )
  return id
}

/** The fields of bodies and queries that contain IDs. */
const ID_FIELDS = ['contactId', 'contactIds', 'listId', 'segmentId'] as const
type IdField = (typeof ID_FIELDS)[number]

const TOMORROW = new Date(Date.now() + 24 * 60 * 60_000).toISOString()

describe('IDs', () => {
  let service: Service
  before(async () => {
    service = await startService({ env: WEBHOOK_ENV })
  })
  after(() => service.stop())
  // A workspace can have 50.
  afterEach(() => sql(service.context.orm.em.fork(), 'delete from webhook_endpoints'))

  /**
   * Creates the resources that only signed-in people can access: a session, a member, an invitation, an API key and a passkey.
   */
  async function createForPeople() {
    const { em } = service.context.orm
    const { browser, accountId } = await aMember(service)
    await beginSession(em.fork(), accountId, 'Another one')
    const [, session] = await listSessions(em, accountId)
    const viewer = await aMember(service, 'viewer')
    const { invitation } = await createInvitation(em, { workspaceIds: [service.workspaceId], role: 'viewer' })
    const { apiKey } = await createApiKey(em, { workspaceId: service.workspaceId, name: 'k', scopes: ['lists:read'] })
    return {
      browser,
      sessions: session!.id,
      members: viewer.accountId,
      memberEmail: viewer.email,
      invitations: invitation.id,
      'api-keys': apiKey.id,
      passkeys: await aPasskey(em.fork(), accountId),
    }
  }

  /** Creates a new resource of each kind, because an operation may change or delete it. */
  async function createResources(messageStatus = 'FAILED', campaignStatus = 'DRAFT', importStatus = 'DRAFT') {
    const listId = await aList(service)
    const contactId = await aContact(service, { listId, tags: ['vip'] })
    const automationId = await anAutomation(service, { steps: [wait(60), EMAIL] })
    await enroll(service, automationId, contactId)
    const condition = { list: listId }
    const segment = await createSegment(service.context.orm.em, {
      workspaceId: service.workspaceId,
      name: 'S',
      condition,
    })
    await service.call('PUT', `automations/${automationId}/draft`, { content: { steps: [] }, basedOn: 1 })
    const messageId = newId()
    await sql(
      service.context.orm.em.fork(),
      `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, occurrence, status, claim)
       select $1::uuid, workspace_id, contact_id, automation_id, id, gen_random_uuid(), 0, $3, gen_random_uuid()
       from enrollments where contact_id = $2::uuid`,
      [messageId, contactId, messageStatus],
    )
    const own = async (path: string, body: object): Promise<string> =>
      (await service.call('POST', path, body)).body.data.id as string
    const text = { subject: 'x', text: 'x' }
    const campaigns = await own('campaigns', { name: 'C', ...text, audience: { listIds: [listId] } })
    await sql(
      service.context.orm.em.fork(),
      `update campaigns set status = $2, paused_from = 'SCHEDULED', scheduled_at = now() + interval '1 day' where id = $1::uuid`,
      [campaigns, campaignStatus],
    )
    const file = importStatus === 'UPLOADING' ? {} : { text: 'email\n', consent: 'SUBSCRIBED' }
    const imports = await own('imports', { name: 'x.csv', ...file })
    await sql(service.context.orm.em.fork(), 'update imports set status = $2 where id = $1::uuid', [
      imports,
      importStatus,
    ])
    return {
      suppressions: await own('suppressions', { email: `suppressed-${contactId}@example.com` }),
      templates: await own('templates', { name: 'T', ...text }),
      emails: await own('emails', { to: 'ada@example.com', ...text, scheduledAt: TOMORROW }),
      imports,
      ...(await createWebhook()),
      campaigns,
      contacts: contactId,
      lists: listId,
      automations: automationId,
      messages: messageId,
      segments: segment.id,
      contactId,
      ...(await createForPeople()),
    }
  }
  /** Creates a webhook with a delivery. No server listens at its URL. */
  async function createWebhook() {
    const { id } = await aWebhook(service, { url: 'http://127.0.0.1:9/', events: ['import.finished'] })
    const { body } = await service.call('POST', `webhooks/${id}/test`)
    return { webhooks: id, deliveryId: body.data.id as string }
  }
  type Resources = Awaited<ReturnType<typeof createResources>>

  /** Calls an operation, with IDs spelled by `inPath` in the path and by `inBody` in the body and the query. */
  async function ask(
    operation: (typeof operations)[number],
    known: Resources,
    inPath: (id: string) => string,
    inBody: (id: string) => string,
  ): Promise<Answer> {
    const { id, method, path, body, query } = operation
    const collection = (/(\S+\/)?([\w-]+)\/\{id\}/.exec(path)?.[2] ?? path.split('/')[1]) as Exclude<
      keyof Resources,
      'browser'
    >
    const filled = path
      .slice(1)
      .replace('{id}', () => encodeURIComponent(inPath(known[collection])))
      .replace('{contactId}', () => encodeURIComponent(inPath(known.contactId)))
      .replace('{deliveryId}', () => encodeURIComponent(inPath(known.deliveryId)))
      .replace('{tag}', 'vip')
    const fields: Record<IdField, unknown> = {
      contactId: inBody(known.contactId),
      contactIds: [inBody(known.contactId)],
      listId: inBody(known.lists),
      segmentId: inBody(known.segments),
    }
    const search = ID_FIELDS.filter((name) => name in (query?.fields ?? {}))
      .map((name) => `${name}=${encodeURIComponent(fields[name] as string)}`)
      .join('&')
    const others: Record<string, object> = {
      upsertContact: { email: `${known.contactId}@example.com`, listId: fields.listId },
      upsertContacts: { contacts: [{ email: `${known.contactId}@example.com`, listId: fields.listId }] },
      fireEvent: { name: 'nothing listens' },
      recordEvent: { name: 'nothing listens', contactId: fields.contactId, lists: [fields.listId] },
      recordEvents: { events: [{ name: 'nothing listens', contactId: fields.contactId }] },
      tagContact: { tags: ['new'] },
      createList: { name: 'x' },
      createSegment: { name: 'x', condition: { list: fields.listId } },
      updateSegment: { name: 'x' },
      updateList: { name: 'x' },
      updateContact: { firstName: 'x' },
      addToList: { contactId: fields.contactId },
      createAutomation: { name: 'x', trigger: 'LIST_ADDED', triggerConfig: { listId: fields.listId } },
      updateAutomation: { trigger: 'LIST_ADDED', triggerConfig: { listId: fields.listId } },
      replaceSteps: { steps: [{ type: 'WAIT', delayMinutes: 5 }] },
      enrollContact: { contactId: fields.contactId },
      replaceTemplate: { name: 'x', subject: 'x', text: 'x' },
      previewTemplate: { contactId: fields.contactId },
      testTemplate: { to: [known.memberEmail] },
      updateCampaign: { name: 'x' },
      scheduleCampaign: { at: '2030-01-01T00:00:00Z' },
      retryMessage: { evenIfSent: true },
      sendEmail: { to: 'ada@example.com', templateId: inBody(known.templates) },
      saveDraft: { content: {}, basedOn: 1 },
      publishAutomation: { trigger: 'LIST_ADDED', triggerConfig: { listId: fields.listId } },
      createImport: { name: 'x.csv', listId: fields.listId },
      uploadImportChunk: { position: 0, text: 'email\n', isLast: true },
      setImportMapping: { listId: fields.listId, consent: 'SUBSCRIBED' },
      updateMember: { role: 'viewer' },
      rotateApiKey: { overlapHours: 1 },
      updateWebhook: { events: ['*'] },
      replayWebhookDeliveries: { since: '2026-01-01' },
    }
    const sent = body ? others[id] : undefined
    assert.ok(!body || sent, `${id}: add a request body for it to this test`)
    const options =
      operation.scope === undefined ? { key: null, headers: known.browser.headers(service.workspaceId) } : {}
    return service.call(method, search ? `${filled}?${search}` : filled, sent, options)
  }

  const same = (id: string) => id

  for (const operation of operations) {
    const { method, path, query, id } = operation
    const inPath = path.includes('{id}')
    const elsewhere =
      ID_FIELDS.some((name) => name in (query?.fields ?? {})) ||
      /upsert|addTo|createAut|updateAut|enroll|record|sendEmail$/.test(id)
    if (!inPath && !elsewhere) continue

    it(`accepts IDs in capitals at ${method} ${path}, and returns them in lower case`, async () => {
      const status = id === 'dismissMessage' ? 'UNCONFIRMED' : 'FAILED'
      const campaign =
        { pauseCampaign: 'SCHEDULED', resumeCampaign: 'PAUSED', cancelCampaign: 'SCHEDULED' }[id] ?? 'DRAFT'
      const importStatus = { uploadImportChunk: 'UPLOADING', stopImport: 'RUNNING' }[id] ?? 'DRAFT'
      const [plain, inCapitals] = await Promise.all([
        createResources(status, campaign, importStatus),
        createResources(status, campaign, importStatus),
      ])
      const expected = await ask(operation, plain, same, same)
      const answer = await ask(operation, inCapitals, capitals, capitals)
      assert.ok(expected.status < 300, JSON.stringify(expected.body))
      assert.equal(answer.status, expected.status, JSON.stringify(answer.body))
      if (method !== 'GET' && !operation.open && operation.audit !== 'never' && !operation.changesNothing) {
        const entries = await sql<{ operation: string; count: number }>(
          service.context.orm.em.fork(),
          `select operation, count(*)::integer as count from audit_entries where request_id = any($1::text[]) group by 1`,
          [[expected, answer].map(({ headers }) => headers.get('x-request-id'))],
        )
        assert.deepEqual(entries, [{ operation: id, count: 2 }])
      }
      const text = JSON.stringify(answer.body)
      for (const known of Object.values(inCapitals))
        if (typeof known === 'string') assert.ok(!text.includes(capitals(known)), `echoed ${known}`)
      // The responses differ only in names and times.
      const shape = (value: unknown) => Object.keys((value as { data: object }).data)
      assert.deepEqual(shape(answer.body), shape(expected.body))
    })

    if (inPath)
      it(`returns the same for an ID in braces as for an unknown one from ${method} ${path}`, async () => {
        const known = await createResources()
        const missing = await ask(operation, known, () => '00000000-0000-7000-8000-000000000000', same)
        const answer = await ask(operation, known, inBraces, same)
        assert.equal(missing.status, 404)
        assert.deepEqual([answer.refused, answer.body], [missing.refused, missing.body])
      })

    if (elsewhere && id !== 'createAutomation' && id !== 'updateAutomation')
      it(`does not match an ID in braces in the body or query of ${method} ${path}`, async () => {
        const answer = await ask(operation, await createResources(), same, inBraces)
        const inBulk = { upsertContacts: 'List not found in workspace', recordEvents: 'Contact not found' }[id]
        if (inBulk !== undefined) assert.equal(answer.body.data.errors[0].error, inBulk)
        else
          assert.match(
            answer.refused ?? '',
            /^404 (contact|list|segment|template)_not_found$/,
            JSON.stringify(answer.body),
          )
      })
  }

  it('triggers an automation whose list ID is in capitals, and returns it in lower case', async () => {
    const listId = await aList(service)
    const fields = { trigger: 'LIST_ADDED', triggerConfig: { listId: capitals(listId) } }
    const automationId = await anAutomation(service, fields)
    const { body } = await service.call('GET', `automations/${capitals(automationId)}`)
    assert.deepEqual(body.data.triggerConfig, { listId })
    const contactId = await aContact(service)
    await service.call('POST', `lists/${capitals(listId)}/contacts`, { contactIds: [capitals(contactId), contactId] })
    await eventually('the email is captured', async () =>
      (await activityOf(service, capitals(contactId))).length === 1 ? true : undefined,
    )
  })

  it('keeps a step whose ID is in capitals', async () => {
    const automationId = await anAutomation(service)
    const { body } = await service.call('GET', `automations/${automationId}`)
    const [step] = body.data.steps as { id: string }[]
    const steps = [{ ...EMAIL, id: capitals(step!.id) }]
    const changed = await service.call('PUT', `automations/${automationId}/steps`, { steps })
    assert.equal(changed.body.data.steps[0].id, step!.id)
  })

  it('enrolls and mails a contact once, whether or not IDs are in capitals', async () => {
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
    await eventually('the email is captured', async () =>
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
