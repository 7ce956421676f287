import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import getPort from 'get-port'
import { document } from '../../src/runtime/operations.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { RendererBusy } from '../../src/rendering/content.ts'
import { deleteApiKey } from '../../src/workspaces/create-api-key.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import type { Role } from '../../src/http/roles.ts'
import { createApiKey } from '../../src/workspaces/create-api-key.ts'
import { claimStep, stepOf } from '../support/step-claims.ts'
import { aContact, aList, anAutomation, enroll } from '../support/factories.ts'
import { type ApiWith, lenientRenderer, startApiWith } from '../support/api-with.ts'
import { openBrowser } from '../support/browser-like.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { aLink, aMember, PASSWORD } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

/** All documented codes: those of operations, and those for unknown paths and methods. */
function documentedCodes(at: unknown = document, found = new Set(['path_not_found', 'method_not_allowed'])) {
  if (typeof at !== 'object' || at === null) return found
  for (const [name, value] of Object.entries(at)) {
    if (name === 'x-error-codes') for (const code of value as string[]) found.add(code)
    else documentedCodes(value, found)
  }
  return found
}

describe('X-Error-Code', () => {
  let service: Service
  let withoutTemporal: Service
  let withOidc: Service
  let provider: IdentityProvider
  let broken: ApiWith
  let contactId: string
  let automationId: string
  let listId: string
  before(async () => {
    service = await startService({ worker: false })
    // Nothing listens on this port.
    withoutTemporal = await startService({ worker: false, env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } })
    const port = await getPort()
    provider = await startIdentityProvider([`http://127.0.0.1:${port}/sign-in/callback`])
    withOidc = await startService({
      worker: false,
      env: {
        PORT: String(port),
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: provider.clientId,
        OIDC_CLIENT_SECRET: provider.clientSecret,
      },
    })
    const { enrollments } = service.context.dependencies
    broken = await startApiWith(service, {
      renderer: { ...lenientRenderer, check: () => Promise.reject(new RendererBusy('No process is free')) },
      enrollments: { ...enrollments, start: () => Promise.reject(new TypeError('a bug')) },
    })
    contactId = await aContact(service)
    automationId = await anAutomation(service)
    listId = await aList(service)
  })
  after(async () => {
    broken.close()
    await service.stop()
    await withoutTemporal.stop()
    await withOidc.stop()
    await provider.close()
  })

  const em = () => service.context.orm.em.fork()
  const call = (...request: Parameters<Service['call']>) => service.call(...request)
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call('POST', path, body, { headers })
  const whole = (text: string) => ({ position: 0, text, isLast: true })
  const keyed = (key: string, name = 'Keyed') => post('lists', { name }, { 'idempotency-key': key })
  const tags = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `tag ${from + n}`)

  /** Makes each insert into lists fail with this SQLSTATE. */
  async function failing(code: string) {
    await sql(
      em(),
      `create or replace function fail() returns trigger language plpgsql as
       $$ begin raise exception using errcode = '${code}', message = 'as the test wants it'; end $$`,
    )
    await sql(em(), 'create or replace trigger fail before insert on lists for each row execute function fail()')
    try {
      return await post('lists', { name: 'Failing' })
    } finally {
      await sql(em(), 'drop trigger fail on lists')
    }
  }

  /** Creates a message of an enrolled contact. */
  async function aMessage(status: string): Promise<string> {
    const id = newId()
    const enrolled = await aContact(service)
    await enroll(service, automationId, enrolled)
    await sql(
      em(),
      `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, occurrence, status, claim)
       select $1::uuid, workspace_id, contact_id, automation_id, id, gen_random_uuid(), 0, $3, gen_random_uuid()
       from enrollments where contact_id = $2::uuid`,
      [id, enrolled, status],
    )
    return id
  }

  const made = async (path: string, body: object): Promise<string> =>
    ((await post(path, body)).body as { data: { id: string } }).data.id
  const aCampaign = (list: string) =>
    made('campaigns', { name: 'x', subject: 'x', text: 'x', audience: { listIds: [list] } })
  const aDkimKey = (role: 'SIGNING' | 'NEXT') =>
    sql(
      em(),
      `insert into dkim_keys (workspace_id, role, domain, selector, public_key, private_key)
       values ($1::uuid, $2, 'orchard.example', 'one', 'x', 'x')`,
      [service.workspaceId, role],
    )
  const aWebhookOf = async () => {
    const id = newId()
    await sql(
      em(),
      `insert into webhook_endpoints (id, workspace_id, events, secret) values ($1::uuid, $2::uuid, '{contact.created}', '')`,
      [id, service.workspaceId],
    )
    return id
  }
  const aFullList = async () => {
    const list = await aList(service)
    await aContact(service, { listId: list })
    return list
  }

  /** A request for each error, by its status, code and JSON pointer. */
  const requests: Record<string, () => Promise<{ refused: string | undefined; headers?: Headers }>> = {
    '400 invalid_request /email': () => post('contacts', { firstName: 'Ada' }),
    '400 invalid_request /limit': () => call('GET', 'contacts?limit=0'),
    '400 invalid_request /tags/1': () => post('contacts', { email: 'ada@example.com', tags: ['vip', ''] }),
    '400 invalid_request /steps/1/type': () =>
      call('PUT', `automations/${automationId}/steps`, {
        steps: [{ type: 'WAIT', delayMinutes: 5 }, { type: 'NONE' }],
      }),
    '400 malformed_json': () => call('POST', 'contacts', undefined, { raw: '{' }),
    '400 body_not_an_object': () => call('POST', 'contacts', undefined, { raw: '[]' }),
    '400 body_too_large': () => post('contacts', { email: 'ada@example.com', firstName: 'x'.repeat(300_000) }),
    '400 wrong_content_type': () => post('contacts', {}, { 'content-type': 'text/plain' }),
    '400 unknown_parameter': () => call('DELETE', `contacts/${contactId}/tags/what?`.concat('now')),
    '400 invalid_idempotency_key': () => keyed('with space'),
    '400 invalid_template /steps/0/subject': () =>
      call('PUT', `automations/${automationId}/steps`, { steps: [{ type: 'EMAIL', subject: '{% if %}', text: 'x' }] }),
    '400 automation_never_acts /triggerConfig/eventName': () =>
      post('automations', { name: 'Never', status: 'ACTIVE', trigger: 'EVENT', steps: [] }),
    '400 nothing_to_update': () => call('PATCH', `automations/${automationId}`, {}),
    '400 metadata_too_large': async () => {
      const metadata = (name: string) => ({ [name]: 'x'.repeat(50_000) })
      await post('contacts', { email: 'large@example.com', metadata: metadata('one') })
      return post('contacts', { email: 'large@example.com', metadata: metadata('other') })
    },
    '400 too_many_tags': async () => {
      const id = await aContact(service)
      for (const from of [0, 50, 100, 150, 200]) await post(`contacts/${id}/tags`, { tags: tags(from, from + 50) })
      return post(`contacts/${id}/tags`, { tags: ['one more'] })
    },
    '400 too_many_lists': async () => {
      const id = await aContact(service)
      await sql(
        em(),
        `with list as (
           insert into lists (id, workspace_id, name) select gen_random_uuid(), $1::uuid, 'x' from generate_series(1, 1000)
           returning id
         )
         insert into list_members (list_id, contact_id) select id, $2::uuid from list`,
        [service.workspaceId, id],
      )
      return post(`lists/${listId}/contacts`, { contactId: id })
    },
    '400 too_many_starts': async () => {
      const key = await service.newKey()
      const { body } = await call('POST', 'automations', { name: 'One of many', trigger: 'SIGNUP' }, { key })
      await sql(
        em(),
        `insert into automations select (jsonb_populate_record(automation, jsonb_build_object(
           'id', gen_random_uuid(), 'status', 'ACTIVE'))).*
         from automations automation cross join generate_series(1, 201) where id = $1::uuid`,
        [(body as { data: { id: string } }).data.id],
      )
      const contacts = Array.from({ length: 100 }, (_, n) => ({ email: `many-${n}@example.com` }))
      return call('POST', 'contacts/bulk', { contacts }, { key })
    },
    '503 not_reconciled': async () => {
      await sql(em(), 'update instance set restored_at = now()')
      const refused = await post('messages/retry', { status: 'FAILED' })
      await sql(em(), 'update instance set restored_at = null')
      return refused
    },
    '409 email_taken /email': async () => {
      await aContact(service, { email: 'taken@example.com' })
      return call('PATCH', `contacts/${contactId}`, { email: 'Taken@example.com' })
    },
    '409 external_id_taken /externalId': async () => {
      await aContact(service, { externalId: 'taken' })
      return post('contacts', { email: 'not-taken@example.com', externalId: 'taken' })
    },
    '409 list_in_use': async () => {
      const id = await aList(service)
      await anAutomation(service, { trigger: 'LIST_ADDED', triggerConfig: { listId: id } })
      return call('DELETE', `lists/${id}`)
    },
    '401 key_missing': () => call('GET', 'whoami', undefined, { key: null }),
    '401 key_malformed': () => call('GET', 'whoami', undefined, { key: 'svc_live_short' }),
    '401 key_unknown': async () => {
      const { key, apiKey } = await aKey()
      await deleteApiKey(service.context.orm.em, apiKey.id)
      return call('GET', 'whoami', undefined, { key })
    },
    '401 key_expired': async () => {
      const { key } = await aKey({ expiresAt: new Date() })
      return call('GET', 'whoami', undefined, { key })
    },
    '401 ip_not_allowed': async () => {
      const { key } = await aKey({ allowedRanges: ['203.0.113.0/24'] })
      return call('GET', 'whoami', undefined, { key })
    },
    '403 scope_missing': async () => {
      const { key } = await aKey({ scopes: ['lists:read'] })
      return call('GET', 'contacts', undefined, { key })
    },
    '400 workspace_missing': () => askAs('viewer', 'GET', 'lists', undefined, { 'X-Workspace-Id': '' }),
    '400 weak_password /password': async () =>
      byNobody('invitation/accept', { ...credentials, token: await aLink(service), password: 'short' }),
    '400 invited_another /email': async () =>
      byNobody('invitation/accept', { ...credentials, token: await aLink(service, 'viewer', 'bob@example.com') }),
    '401 signed_out': () => openBrowser(service).ask('GET', 'session'),
    '401 wrong_credentials': () => byNobody('session', credentials),
    '401 wrong_credentials /currentPassword': () =>
      askAs('viewer', 'PUT', 'account/password', { currentPassword: 'wrong', password: PASSWORD }),
    '401 wrong_passkey': () =>
      byNobody('session/passkey', {
        credential: { id: 'Zm9v', response: { clientDataJSON: 'e30', authenticatorData: 'Zm9v', signature: 'Zm9v' } },
      }),
    '400 passkey_refused': () =>
      askAs('viewer', 'POST', 'account/passkeys', {
        name: 'Laptop',
        credential: { id: 'Zm9v', response: { clientDataJSON: 'e30', attestationObject: 'Zm9v' } },
      }),
    '404 passkey_not_found': () => askAs('viewer', 'DELETE', `account/passkeys/${newId()}`),
    '401 sign_in_again': async () => {
      const { browser, accountId } = await aMember(service)
      await sql(em(), 'update accounts set password_hash = null where id = $1::uuid', [accountId])
      await sql(em(), `update sessions set created_at = now() - interval '1 hour' where account_id = $1::uuid`, [
        accountId,
      ])
      return browser.ask('POST', 'account/passkeys/begin', { body: {} })
    },
    '404 oidc_not_configured': () => byNobody('session/oidc/begin', {}),
    '401 oidc_failed': () => openBrowser(withOidc).ask('POST', 'session/oidc', { body: { query: 'code=x' } }),
    '401 not_invited': async () => {
      const browser = openBrowser(withOidc)
      const begun = await browser.ask('POST', 'session/oidc/begin', { body: {} })
      browser.cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!
      const query = await provider.visit((begun.body as { data: { url: string } }).data.url)
      return browser.ask('POST', 'session/oidc', { body: { query } })
    },
    '403 live_from_live': async () => {
      const { id } = await createWorkspace(service.context.orm.em, { name: 'Test', mode: 'test' })
      const { browser } = await aMember(service, 'owner', id)
      return browser.ask('POST', 'workspaces', { workspaceId: id, body: { name: 'Live', mode: 'live' } })
    },
    '409 too_many_invitations': async () => {
      const { id } = await createWorkspace(service.context.orm.em, { name: 'Inviting', mode: 'test' })
      const { browser } = await aMember(service, 'owner', id)
      await sql(
        em(),
        `with made as (
           insert into invitations (id, token_hash, role, expires_at)
           select gen_random_uuid(), sha256(n::text::bytea), 'viewer', now() + interval '1 day' from generate_series(1, 100) n
           returning id
         ) insert into invitation_workspaces (invitation_id, workspace_id) select id, $1::uuid from made`,
        [id],
      )
      return browser.ask('POST', 'invitations', { workspaceId: id, body: { role: 'viewer' } })
    },
    '429 too_many_test_emails': async () => {
      const { browser } = await aMember(service, 'editor')
      const send = () =>
        browser.ask('POST', 'emails/test', { workspaceId: service.workspaceId, body: { subject: 'Hi', text: 'Hi' } })
      const sent = await Promise.all(Array.from({ length: 12 }, send))
      return sent.find(({ status }) => status === 429)!
    },
    '403 not_a_member': () => askAs('owner', 'GET', 'lists', undefined, { 'X-Workspace-Id': newId() }),
    '403 role_missing': () => askAs('editor', 'POST', 'invitations', { role: 'owner' }),
    '403 wrong_origin': () => askAs('owner', 'DELETE', 'sessions', undefined, { 'Sec-Fetch-Site': 'cross-site' }),
    '403 people_only': () => call('GET', 'members'),
    '403 keys_only': () => askAs('owner', 'GET', 'whoami'),
    '404 password_reset_not_found /token': () =>
      byNobody('password-reset/complete', { token: 'x'.repeat(43), password: PASSWORD }),
    '404 invitation_not_found /token': () => byNobody('invitation', { token: 'x'.repeat(43) }),
    '404 invitation_not_found': () => askAs('owner', 'DELETE', `invitations/${newId()}`),
    '404 member_not_found': () => askAs('owner', 'DELETE', `members/${newId()}`),
    '404 session_not_found': () => askAs('viewer', 'DELETE', `sessions/${newId()}`),
    '404 api_key_not_found': () => askAs('owner', 'DELETE', `api-keys/${newId()}`),
    '409 last_owner': async () => {
      const { id } = await createWorkspace(service.context.orm.em, { name: 'Owned by one', mode: 'test' })
      const { browser, accountId } = await aMember(service, 'owner', id)
      return browser.ask('DELETE', `members/${accountId}`, { workspaceId: id })
    },
    '409 too_many_workspaces': async () => {
      await sql(
        em(),
        `insert into workspaces (id, name, mode) select gen_random_uuid(), 'many', 'test' from generate_series(1, 100)`,
      )
      const refused = await askAs('owner', 'POST', 'workspaces', { name: 'One more', mode: 'test' })
      await sql(em(), `delete from workspaces where name = 'many'`)
      return refused
    },
    '429 too_many_attempts': async () => {
      const guesses = await Promise.all(Array.from({ length: 12 }, () => byNobody('session', credentials)))
      return guesses.find(({ status }) => status === 429)!
    },
    '404 path_not_found': () => call('GET', 'nowhere'),
    '404 contact_not_found': () => call('GET', `contacts/${automationId}`),
    '404 contact_not_found /contactId': () => enroll(service, automationId, automationId),
    '404 list_not_found': () => call('GET', `lists/${contactId}`),
    '404 list_not_found /listId': () => post('contacts', { email: 'ada@example.com', listId: contactId }),
    '404 segment_not_found': () => call('GET', `segments/${contactId}`),
    '404 segment_not_found /segmentId': () => call('GET', `contacts?segmentId=${contactId}`),
    '404 contact_not_in_list': () => call('DELETE', `lists/${listId}/contacts/${contactId}`),
    '404 tag_not_found': () => call('DELETE', `contacts/${contactId}/tags/none`),
    '404 automation_not_found': () => call('GET', `automations/${contactId}`),
    '404 message_not_found': () => post(`messages/${contactId}/retry`, {}),
    '409 message_not_retryable': async () => post(`messages/${await aMessage('SENT')}/retry`, {}),
    '409 delivery_unconfirmed /evenIfSent': async () => post(`messages/${await aMessage('UNCONFIRMED')}/retry`, {}),
    '409 message_not_unconfirmed': async () => post(`messages/${await aMessage('SENT')}/dismiss`, {}),
    '404 suppression_not_found': () => call('DELETE', `suppressions/${newId()}`),
    '409 segment_in_use': async () => {
      const id = await made('segments', { name: 'In use', condition: { metadata: 'plan', is: 'present' } })
      const campaign = await made('campaigns', {
        name: 'x',
        subject: 'x',
        text: 'x',
        audience: { listIds: [await aFullList()], exclude: { segmentIds: [id] } },
      })
      await post(`campaigns/${campaign}/schedule`, { at: '2999-01-01T00:00:00Z' })
      return call('DELETE', `segments/${id}`)
    },
    '409 from_address_missing': () => askAs('owner', 'POST', 'sender/dkim', {}),
    '409 secrets_key_missing': async () => {
      await askAs('owner', 'PUT', 'sender', { fromAddress: 'hello@orchard.example' })
      return askAs('owner', 'POST', 'sender/dkim', {})
    },
    '409 dkim_selector_in_use /selector': async () => {
      await aDkimKey('SIGNING')
      return askAs('owner', 'POST', 'sender/dkim', { selector: 'one' })
    },
    '409 dkim_key_missing': () => askAs('owner', 'POST', 'sender/dkim/switch'),
    '409 dkim_record_missing': async () => {
      await aDkimKey('NEXT')
      return askAs('owner', 'POST', 'sender/dkim/switch')
    },
    '404 import_not_found': () => call('GET', `imports/${newId()}`),
    '400 wrong_header': async () => post(`imports/${await made('imports', { name: 'x' })}/chunks`, whole('')),
    '400 wrong_mapping': async () => {
      const id = await made('imports', { name: 'x', text: 'email\n' })
      return call('PUT', `imports/${id}/mapping`, { columns: [{ column: 'x', field: 'nothing' }] })
    },
    '400 mapping_incomplete': async () =>
      post(`imports/${await made('imports', { name: 'x', text: 'email,Newsletter\n' })}/start`, undefined),
    '400 import_too_large': async () => {
      const id = await made('imports', { name: 'x' })
      await sql(service.context.orm.em.fork(), 'update imports set uploaded = 300000000 where id = $1::uuid', [id])
      return post(`imports/${id}/chunks`, { ...whole('x'), position: 300_000_000 })
    },
    '409 import_not_uploaded': async () => post(`imports/${await made('imports', { name: 'x' })}/start`, undefined),
    '409 import_not_running': async () => post(`imports/${await made('imports', { name: 'x' })}/stop`, undefined),
    '409 import_started': async () => {
      const id = await made('imports', { name: 'x', text: 'email\n', consent: 'SUBSCRIBED', start: true })
      return post(`imports/${id}/start`, undefined)
    },
    '409 import_position_mismatch /position': async () =>
      post(`imports/${await made('imports', { name: 'x' })}/chunks`, { ...whole('email\n'), position: 7 }),
    '409 import_uploaded': async () =>
      post(`imports/${await made('imports', { name: 'x', text: 'email\n' })}/chunks`, whole('email\n')),
    '404 webhook_not_found': () => call('GET', `webhooks/${newId()}`),
    '404 delivery_not_found': async () => call('GET', `webhooks/${await aWebhookOf()}/deliveries/${newId()}`),
    '409 webhook_disabled': async () => {
      const id = await aWebhookOf()
      await call('PATCH', `webhooks/${id}`, { status: 'DISABLED' })
      return post(`webhooks/${id}/test`, {})
    },
    '409 webhook_limit_reached': async () => {
      await sql(
        em(),
        `insert into webhook_endpoints (id, workspace_id, events, secret)
         select gen_random_uuid(), $1::uuid, '{*}', '' from generate_series(1, 50)`,
        [service.workspaceId],
      )
      return post('webhooks', { events: ['*'] })
    },
    '404 feedback_source_not_found': () => askAs('owner', 'DELETE', 'feedback-sources/postmark'),
    '409 contact_left_list /contactId': async () => {
      const id = await aContact(service)
      await sql(em(), 'insert into list_opt_outs (list_id, contact_id) values ($1::uuid, $2::uuid)', [listId, id])
      return post(`lists/${listId}/contacts`, { contactId: id })
    },
    '409 confirmation_automation_missing': async () =>
      call('PATCH', `lists/${await aList(service)}`, { doubleOptIn: true }),
    '409 automation_confirms_list': async () => {
      const id = await aList(service)
      const asks = { type: 'EMAIL', category: 'transactional', subject: 'x', text: '{{ confirmUrl }}' }
      const asking = await anAutomation(service, {
        trigger: 'LIST_REQUESTED',
        triggerConfig: { listId: id },
        steps: [asks],
      })
      await call('PATCH', `lists/${id}`, { doubleOptIn: true })
      return call('DELETE', `automations/${asking}`)
    },
    '404 email_not_found': () => call('GET', `emails/${newId()}`),
    '409 email_not_cancellable': async () => {
      const id = await made('emails', { to: 'ada@example.com', subject: 'x', text: 'x' })
      await sql(em(), `update messages set status = 'SENDING' where id = $1::uuid`, [id])
      await sql(em(), `update messages set status = 'SENT' where id = $1::uuid`, [id])
      return post(`emails/${id}/cancel`, {})
    },
    '400 from_not_allowed /from': () =>
      post('emails', { to: 'ada@example.com', subject: 'x', text: 'x', from: 'a@elsewhere.example' }),
    '404 template_not_found': () => call('GET', `templates/${newId()}`),
    '409 template_in_use': async () => {
      const layout = await made('templates', { name: 'In use', kind: 'LAYOUT', html: '{{ content }}' })
      await made('templates', { name: 'Uses it', subject: 'x', html: 'x', layoutId: layout })
      return call('DELETE', `templates/${layout}`)
    },
    '409 template_name_taken /name': async () => {
      await made('templates', { name: 'twice', kind: 'PARTIAL', html: 'x' })
      return post('templates', { name: 'twice', kind: 'PARTIAL', html: 'x' })
    },
    '404 campaign_not_found': () => call('GET', `campaigns/${newId()}`),
    '400 campaign_incomplete': async () => post(`campaigns/${await made('campaigns', { name: 'x' })}/schedule`, {}),
    '400 audience_empty': async () => post(`campaigns/${await aCampaign(await aList(service))}/schedule`, {}),
    '400 time_in_past /at': async () =>
      post(`campaigns/${await aCampaign(await aFullList())}/schedule`, { at: '2020-01-01T00:00:00Z' }),
    '409 campaign_status_wrong': async () => post(`campaigns/${await aCampaign(listId)}/pause`, {}),
    '404 draft_not_found': () => call('GET', `automations/${automationId}/draft`),
    '412 revision_conflict': () =>
      call('PATCH', `automations/${automationId}`, { name: 'x' }, { headers: { 'if-match': '"0"' } }),
    '409 would_be_captured': async () => post(`messages/${await aMessage('CAPTURED')}/retry`, {}),
    '404 not_enrolled': () => call('DELETE', `automations/${automationId}/enrollments/${contactId}`),
    '404 automation_not_active': () => enroll(service, contactId, contactId),
    '405 method_not_allowed': () => call('PUT', 'contacts'),
    '409 idempotency_key_in_progress': async () => {
      await keyed('in-progress')
      await sql(
        em(),
        `update idempotency_keys set status = null, lease_until = now() + interval '1 minute' where key = 'in-progress'`,
      )
      return keyed('in-progress')
    },
    '410 contact_erased': async () => {
      const create = () => post('contacts', { email: 'erased@example.com' }, { 'idempotency-key': 'erased' })
      const { body } = await create()
      await call('DELETE', `contacts/${(body as { data: { id: string } }).data.id}`)
      return create()
    },
    '422 idempotency_key_reused': async () => {
      await keyed('reused')
      return keyed('reused', 'Another')
    },
    '429 rate_limited': async () => {
      const { key } = await aKey({ rateLimit: 1 })
      await call('GET', 'whoami', undefined, { key })
      return call('GET', 'whoami', undefined, { key })
    },
    '500 internal_error': () => broken.send('POST', `automations/${automationId}/enroll`, { contactId }),
    '503 busy': () =>
      broken.send('POST', 'automations', {
        name: 'Busy',
        trigger: 'SIGNUP',
        steps: [{ type: 'EMAIL', subject: 'x', text: 'x' }],
      }),
    '503 conflict': () => failing('40P01'),
    '503 database_unavailable': () => failing('25006'),
    '503 temporal_unavailable': async () => {
      const automation = await anAutomation(withoutTemporal)
      return enroll(withoutTemporal, automation, await aContact(withoutTemporal))
    },
    '503 still_sending': async () => {
      const id = await aContact(service)
      const automation = await anAutomation(service)
      await enroll(service, automation, id)
      await claimStep(service, await stepOf(service, automation, id))
      return call('DELETE', `contacts/${id}`)
    },
  }
  /** Sends a request as a new member, by default in the workspace of the service. */
  const askAs = async (role: Role, method: string, path: string, body?: unknown, headers = {}) => {
    const { browser } = await aMember(service, role)
    return browser.ask(method, path, { body, workspaceId: service.workspaceId, headers })
  }
  const byNobody = (path: string, body: unknown) => openBrowser(service).ask('POST', path, { body })
  const credentials = { email: 'nobody@example.com', password: PASSWORD }
  const aKey = (options: object = {}) =>
    createApiKey(service.context.orm.em, {
      workspaceId: service.workspaceId,
      name: 'Test',
      scopes: ['contacts:read'],
      rateLimit: 1_000_000,
      ...options,
    })

  for (const [expected, request] of Object.entries(requests)) {
    it(`returns ${expected}`, async () => {
      const { refused, headers } = await request()
      const [status, code, param] = expected.split(' ')
      assert.equal(refused, `${status} ${code}`)
      if (headers) assert.equal(headers.get('x-error-param'), param ?? null)
    })
  }

  it('returns only documented codes, and every documented code is tested', () => {
    const produced = new Set(Object.keys(requests).map((expected) => expected.split(' ')[1]))
    assert.deepEqual([...produced].toSorted(), [...documentedCodes()].toSorted())
  })

  it('lists every code in docs/api.md', () => {
    const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
    assert.deepEqual(
      [...documentedCodes()].filter((code) => !page.includes(`\`${code}\``)),
      [],
    )
  })

  it('replays the error code and the JSON pointer of an idempotent response', async () => {
    const ask = () => post('lists', { name: '' }, { 'idempotency-key': 'kept' })
    assert.equal((await ask()).refused, '400 invalid_request')
    const again = await ask()
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual([again.refused, again.headers.get('x-error-param')], ['400 invalid_request', '/name'])
  })
})
