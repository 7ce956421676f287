import assert from 'node:assert/strict'
import { createInvitation } from '../../src/accounts/invitations.ts'
import { beginSession, listSessions } from '../../src/accounts/sessions.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { document, operations } from '../../src/runtime/operations.ts'
import { createApiKey } from '../../src/workspaces/create-api-key.ts'
import { EMAIL, aContact, aList, anAutomation, enroll } from '../support/factories.ts'
import { credentialsFor, aMember } from '../support/members.ts'
import type { Answer, Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { aWebhook } from '../support/webhook-events.ts'

interface Schema {
  $ref?: string
  type?: string
  format?: string
  example?: unknown
  items?: Schema
  properties?: Record<string, Schema>
  oneOf?: Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
}
const { schemas } = document.components as { schemas: Record<string, Schema> }
const resolve = (schema: Schema): Schema => (schema.$ref ? schemas[schema.$ref.split('/').at(-1)!]! : schema)

const MAX_DEPTH = 8
const IS_NAME_OF_ID = /(Id|Ids\[\])$/
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Lists the fields of a body that contain IDs, such as `.audience.listIds[]`. */
function idFields(given: Schema, path = '', depth = 0): string[] {
  const schema = resolve(given)
  if (depth > MAX_DEPTH) return []
  if (schema.items) return idFields(schema.items, `${path}[]`, depth + 1)
  const parts = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
  const found = parts.flatMap((part) => idFields(part, path, depth + 1))
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    found.push(...idFields(property, `${path}.${name}`, depth + 1))
  const isId =
    schema.format === 'uuid' || JSON.stringify(schema.example ?? '').search(UUID) >= 0 || IS_NAME_OF_ID.test(path)
  return schema.properties || parts.length > 0 || !isId ? found : [path]
}

/** One place of an operation for an ID: a parameter of its path or query, or a field of its body. */
interface Site {
  operation: (typeof operations)[number]
  in: 'path' | 'query' | 'body'
  name: string
}

/** Fields whose IDs refer to no row: the caller or another system has chosen them, or they are cursors. */
const NO_REFERENCE =
  /\.(externalId|userId|anonymousId|previousId|groupId|contentId|cursor)$|^GET \/request-log requestId$|^POST \/sources\/segment.*messageId$|verify-report/

/** The kind of resource of a field or parameter. */
const KINDS: Record<string, string> = {
  contactId: 'contacts',
  contactIds: 'contacts',
  listId: 'lists',
  listIds: 'lists',
  lists: 'lists',
  addToLists: 'lists',
  removeFromLists: 'lists',
  segmentId: 'segments',
  segmentIds: 'segments',
  automationId: 'automations',
  campaignId: 'campaigns',
  templateId: 'templates',
  layoutId: 'layouts',
  enrollmentId: 'enrollments',
  stepId: 'steps',
  deliveryId: 'deliveries',
  keyId: 'api-keys',
  targetId: 'automations',
}

const leafStep = (path: string, id: string): object => {
  if (path.endsWith('.templateId')) return { type: 'EMAIL', templateId: id }
  return { type: 'UPDATE_CONTACT', [path.includes('.addToLists') ? 'addToLists' : 'removeFromLists']: [id] }
}
/** A step with an ID in one of the places where steps can be. */
function stepWith(path: string, id: string): object {
  const inner = leafStep(path, id)
  if (path.includes('.received[]'))
    return { type: 'WAIT_FOR_EVENT', eventName: 'x', timeoutMinutes: 5, received: [inner] }
  if (path.includes('.timedOut[]'))
    return { type: 'WAIT_FOR_EVENT', eventName: 'x', timeoutMinutes: 5, timedOut: [inner] }
  if (path.includes('.else[]') || path.includes('.branches[]')) {
    const steps = path.includes('.else[]') ? [] : [inner]
    const branches = [{ name: 'A', if: { field: 'email', is: 'present' }, steps }]
    return { type: 'CONDITION', branches, ...(path.includes('.else[]') && { else: [inner] }) }
  }
  return inner
}

/** A GIF of one pixel. */
const DOT = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const CONTENT = { subject: 'x', text: 'x' }

/** A valid body of an operation with an ID in a field. @returns `undefined` for a field that this table does not know */
function bodyWith({ operation: { method, path }, name }: Site, id: string): object | undefined {
  const audienceOf = (field: string): object => {
    const [, exclude, kind] = /^\.audience(\.exclude)?\.(\w+)\[\]$/.exec(field)!
    return exclude ? { listIds: [own['lists']], exclude: { [kind!]: [id] } } : { [kind!]: [id] }
  }
  if (name.startsWith('.audience')) return { name: 'C', ...CONTENT, audience: audienceOf(name) }
  if (name === '.triggerConfig.segmentId')
    return { name: 'A', trigger: 'SEGMENT_ENTERED', triggerConfig: { segmentId: id }, steps: [EMAIL] }
  if (name === '.triggerConfig.listId')
    return { name: 'A', trigger: 'LIST_ADDED', triggerConfig: { listId: id }, steps: [EMAIL] }
  if (path.endsWith('/rehearse') && name.startsWith('.steps[]'))
    return { contactId: own['contacts'], steps: [stepWith(name, id)] }
  if (name.startsWith('.steps[]')) return { name: 'A', trigger: 'SIGNUP', steps: [stepWith(name, id)] }
  switch (`${method} ${path} ${name}`) {
    case 'POST /contacts .listId':
    case 'PATCH /contacts/{id} .listId':
      return { email: 'new@example.com', listId: id }
    case 'POST /contacts/bulk .contacts[].listId':
      return { contacts: [{ email: 'new@example.com', listId: id }] }
    case 'POST /events .contactId':
      return { name: 'x', contactId: id }
    case 'POST /events .lists[]':
      return { name: 'x', email: 'new@example.com', lists: [id] }
    case 'POST /events/bulk .events[].contactId':
      return { events: [{ name: 'x', contactId: id }] }
    case 'POST /emails .templateId':
      return { to: 'ada@example.com', templateId: id }
    case 'POST /emails/batch .emails[].templateId':
      return { emails: [{ to: 'ada@example.com', templateId: id }] }
    case 'POST /lists/{id}/contacts .contactIds[]':
      return { contactIds: [id] }
    case 'POST /imports .listId':
      return { name: 'x.csv', text: 'email\n', consent: 'SUBSCRIBED', listId: id }
    case 'PUT /imports/{id}/mapping .listId':
      return { columns: [], listId: id }
    case 'POST /lists/{id}/contacts .contactId':
    case 'POST /automations/{id}/enroll .contactId':
    case 'POST /automations/{id}/rehearse .contactId':
      return { contactId: id }
    case 'POST /automations/{id}/rehearse .segmentId':
      return { segmentId: id }
    case 'POST /emails/preview .contactId':
    case 'POST /templates/preview .contactId':
    case 'POST /templates/{id}/preview .contactId':
    case 'POST /emails/test .contactId':
    case 'POST /templates/{id}/test .contactId':
      return {
        ...(path.includes('{id}') ? {} : CONTENT),
        ...(path.endsWith('/test') && { to: 'ada@example.com' }),
        contactId: id,
      }
    case 'POST /templates .layoutId':
    case 'PUT /templates/{id} .layoutId':
    case 'POST /templates/preview .layoutId':
      return { name: 'New', ...CONTENT, html: '<p>x</p>', layoutId: id }
    case 'POST /campaigns .templateId':
    case 'PATCH /campaigns/{id} .templateId':
      return { name: 'C', templateId: id, audience: { listIds: [own['lists']] } }
    case 'POST /campaigns .abTest.variants[].templateId':
    case 'PATCH /campaigns/{id} .abTest.variants[].templateId':
      return {
        ...{ name: 'C', ...CONTENT, audience: { listIds: [own['lists']] } },
        abTest: { variants: [{ templateId: id }], testPercent: 20, winnerBy: 'OPENED', afterMinutes: 60 },
      }
    case 'POST /messages/retry .automationId':
    case 'POST /messages/retry .campaignId':
    case 'POST /messages/retry .contactId':
      return { [name.slice(1)]: id }
    default:
      return undefined
  }
}

/** Conditions are not described field by field. */
const CONDITIONS: { what: string; kind: string; condition: (id: string) => object }[] = [
  { what: 'a list', kind: 'lists', condition: (id) => ({ list: id }) },
  { what: 'a segment', kind: 'segments', condition: (id) => ({ segment: id }) },
]

let own: Record<string, string>

describe('an ID of another workspace', () => {
  let service: Service
  let foreign: Record<string, string>
  before(async () => {
    service = await openWorkspace({ worker: false })
    own = await createResources(service)
    foreign = await createResources(await openWorkspace({ worker: false }))
  })
  beforeEach(() => sql(service.context.orm.em.fork(), 'delete from rate_windows'))

  const sites = operations.flatMap((operation): Site[] => {
    const described = (document.paths as Record<string, Record<string, Described>>)[operation.path]![
      operation.method.toLowerCase()
    ]!
    const parameters = described.parameters.flatMap(({ name, in: at }) =>
      (at === 'path' && !['tag', 'provider', 'name'].includes(name)) || (at === 'query' && IS_NAME_OF_ID.test(name))
        ? [{ operation, in: at, name }]
        : [],
    )
    const schema = described.requestBody?.content['application/json']?.schema
    const fields = schema
      ? [...new Set(idFields(schema))].map((name) => ({ operation, in: 'body' as const, name }))
      : []
    return [...parameters, ...fields]
  })
  const titleOf = ({ operation: { method, path }, name }: Site) => `${method} ${path} ${name}`
  const kindOf = ({ operation: { path }, in: at, name }: Site) =>
    at === 'path' && name === 'id'
      ? path.split('/')[path.startsWith('/account/') ? 2 : 1]!
      : KINDS[name.split('.').at(-1)!.replace('[]', '')]!

  /** Calls the operation with an ID in one place, and own IDs in all others. */
  async function ask(site: Site, id: string): Promise<Answer> {
    const { operation } = site
    const path = operation.path
      .slice(1)
      .replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        site.in === 'path' && site.name === name
          ? id
          : (own[name === 'id' ? kindOf({ ...site, in: 'path', name }) : KINDS[name]!] ?? 'vip'),
      )
    const query = site.in === 'query' ? `?${site.name}=${id}` : ''
    const body = site.in === 'body' ? bodyWith(site, id) : operation.body ? {} : undefined
    return service.call(operation.method, path + query, body, await credentialsFor(service, operation))
  }
  /** The response without what differs between two calls. */
  const outcome = ({ status, refused, body }: Answer) => ({
    status,
    refused,
    body: JSON.stringify(body)
      .replaceAll(UUID, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/"version":\d+/, 'VERSION'),
  })

  it('is known to these tests wherever an operation takes an ID', () => {
    const unknown = sites.filter(
      (site) => !NO_REFERENCE.test(titleOf(site)) && site.in === 'body' && !bodyWith(site, newId()),
    )
    assert.deepEqual(unknown.map(titleOf), [])
    assert.deepEqual(
      sites.filter((site) => !NO_REFERENCE.test(titleOf(site)) && kindOf(site) === undefined).map(titleOf),
      [],
    )
    assert.ok(sites.length > 130, `${sites.length} places`)
  })

  it('has the same effect as an unknown one in every parameter and field', async () => {
    const deviations: unknown[] = []
    for (const site of sites) {
      if (NO_REFERENCE.test(titleOf(site))) continue
      const id = foreign[kindOf(site)]
      assert.ok(id, `no resource for ${titleOf(site)}`)
      const [unknown, theirs] = [outcome(await ask(site, newId())), outcome(await ask(site, id))]
      if (JSON.stringify(unknown) !== JSON.stringify(theirs)) deviations.push([titleOf(site), unknown, theirs])
    }
    assert.deepEqual(deviations, [])
  })

  it('has the same effect as an unknown one in a condition', async () => {
    for (const { what, kind, condition } of CONDITIONS) {
      for (const [path, body] of [
        ['segments', (id: string) => ({ name: newId(), condition: condition(id) })],
        [
          'automations',
          (id: string) => ({ name: 'A', trigger: 'SIGNUP', steps: [EMAIL], entry: { filter: condition(id) } }),
        ],
      ] as const) {
        const [unknown, theirs] = [
          await service.call('POST', path, body(newId())),
          await service.call('POST', path, body(foreign[kind]!)),
        ]
        assert.deepEqual(outcome(theirs), outcome(unknown), `${what} in ${path}`)
      }
    }
  })
})

interface Described {
  parameters: { name: string; in: 'path' | 'query' }[]
  requestBody?: { content: { 'application/json'?: { schema: Schema } } }
}

/** Creates one resource of each kind in the workspace of a service. */
async function createResources(service: Service): Promise<Record<string, string>> {
  const { em } = service.context.orm
  const created = async (path: string, body: object) => (await service.call('POST', path, body)).body.data.id as string
  const lists = await aList(service)
  const contacts = await aContact(service, { listId: lists, tags: ['vip'] })
  const automations = await anAutomation(service)
  await enroll(service, automations, contacts)
  const [row] = await sql<{ id: string }>(em.fork(), 'select id from enrollments where contact_id = $1::uuid', [
    contacts,
  ])
  const { body } = await service.call('GET', `automations/${automations}`)
  const messages = newId()
  await sql(
    em.fork(),
    `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim)
     values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::uuid, $6::uuid, 'FAILED', gen_random_uuid())`,
    [messages, service.workspaceId, contacts, automations, row!.id, body.data.steps[0].id],
  )
  const webhook = await aWebhook(service, { url: 'http://127.0.0.1:9/', events: ['import.finished'] })
  const { accountId } = await aMember(service)
  await beginSession(em.fork(), accountId, 'Another one')
  const passkeys = newId()
  await sql(
    em.fork(),
    `insert into passkeys (id, account_id, credential_id, public_key, counter, transports, name)
     values ($1::uuid, $2::uuid, $1, 'none', 0, '{}', 'Laptop')`,
    [passkeys, accountId],
  )
  const { invitation } = await createInvitation(em, { workspaceIds: [service.workspaceId], role: 'viewer' })
  const { apiKey } = await createApiKey(em, { workspaceId: service.workspaceId, name: 'k', scopes: ['lists:read'] })
  return {
    lists,
    contacts,
    automations,
    messages,
    passkeys,
    enrollments: row!.id,
    steps: body.data.steps[0].id as string,
    segments: await created('segments', { name: 'S', condition: { list: lists } }),
    'media-files': await created('media-files', { name: 'dot.gif', content: DOT }),
    templates: await created('templates', { name: 'T', ...CONTENT }),
    layouts: await created('templates', { name: 'L', kind: 'LAYOUT', html: '<p>{{ content }}</p>' }),
    campaigns: await created('campaigns', { name: 'C', ...CONTENT, audience: { listIds: [lists] } }),
    rehearsals: await created(`automations/${automations}/rehearse`, {}),
    proposals: await created(`automations/${automations}/proposals`, { content: { name: 'New' }, reason: 'x' }),
    emails: await created('emails', {
      to: 'ada@example.com',
      ...CONTENT,
      scheduledAt: new Date(Date.now() + 86_400_000).toISOString(),
    }),
    imports: await created('imports', { name: 'x.csv', text: 'email\n', consent: 'SUBSCRIBED' }),
    suppressions: await created('suppressions', { email: 'gone@example.com' }),
    webhooks: webhook.id,
    deliveries: (await service.call('POST', `webhooks/${webhook.id}/test`)).body.data.id as string,
    sessions: (await listSessions(em, accountId))[0]!.id,
    members: accountId,
    invitations: invitation.id,
    'api-keys': apiKey.id,
  }
}
