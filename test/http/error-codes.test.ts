import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { document } from '../../src/runtime/operations.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { openTemporal } from '../../src/temporal/connection.ts'
import { createEnrollments } from '../../src/temporal/index.ts'
import type { Role } from '../../src/http/roles.ts'
import { aContact, aList, anAutomation, enroll } from '../support/factories.ts'
import { type AnotherApi, startAnotherApi } from '../support/another-api.ts'
import { type ApiWith, startApiWith } from '../support/api-with.ts'
import { openBrowser } from '../support/browser-like.ts'
import { aLink, aMember, PASSWORD } from '../support/members.ts'
import type { Answer, Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'
import { aWebhook } from '../support/webhook-events.ts'

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
  /** An API without a secrets key, which does not reach Temporal. */
  let limited: AnotherApi
  let broken: ApiWith
  let contactId: string
  let automationId: string
  let listId: string
  before(async () => {
    service = await openWorkspace({ worker: false })
    const { config, dependencies, instance } = service.context
    // Nothing listens on this port.
    const temporal = openTemporal({ address: '127.0.0.1:1', namespace: 'default', apiKey: undefined, tls: false })
    const enrollments = createEnrollments(temporal, config.TEMPORAL_TASK_QUEUE, instance)
    limited = await startAnotherApi(service, { SECRETS_KEY: undefined }, { enrollments })
    broken = await startApiWith(service, {
      enrollments: { ...dependencies.enrollments, start: () => Promise.reject(new TypeError('a bug')) },
    })
    contactId = await aContact(service)
    automationId = await anAutomation(service)
    listId = await aList(service)
  })
  after(async () => {
    broken.close()
    await limited.stop()
  })

  const em = () => service.context.orm.em.fork()
  const call = (...request: Parameters<Service['call']>) => service.call(...request)
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call('POST', path, body, { headers })
  const whole = (text: string) => ({ position: 0, text, isLast: true })

  /** Creates a list while Postgres fails with an error. */
  async function postWhile(errorCode: string): Promise<Answer> {
    await sql(
      em(),
      `create or replace function fail() returns trigger language plpgsql as
       $$ begin raise exception using errcode = '${errorCode}', message = 'as the test wants it'; end $$`,
    )
    await sql(em(), 'create or replace trigger fail before insert on lists for each row execute function fail()')
    const refused = await post('lists', { name: 'Failing' })
    await sql(em(), 'drop trigger fail on lists')
    return refused
  }

  /** Creates a message of an enrolled contact. */
  async function aMessage(status: string): Promise<string> {
    const id = newId()
    const enrolled = await aContact(service)
    await enroll(service, automationId, enrolled)
    await sql(
      em(),
      `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim)
       select $1::uuid, workspace_id, contact_id, automation_id, id, gen_random_uuid(), $3, gen_random_uuid()
       from enrollments where contact_id = $2::uuid`,
      [id, enrolled, status],
    )
    return id
  }

  const made = async (path: string, body: object): Promise<string> =>
    ((await post(path, body)).body as { data: { id: string } }).data.id
  const aCampaign = (list: string) =>
    made('campaigns', { name: 'x', subject: 'x', text: 'x', audience: { listIds: [list] } })
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
    '400 invalid_template /steps/0/subject': () =>
      call('PUT', `automations/${automationId}/steps`, { steps: [{ type: 'EMAIL', subject: '{% if %}', text: 'x' }] }),
    '400 automation_never_acts /triggerConfig/eventName': () =>
      post('automations', { name: 'Never', status: 'ACTIVE', trigger: 'EVENT', steps: [] }),
    '400 metadata_too_large': async () => {
      const metadata = (name: string) => ({ [name]: 'x'.repeat(50_000) })
      await post('contacts', { email: 'large@example.com', metadata: metadata('one') })
      return post('contacts', { email: 'large@example.com', metadata: metadata('other') })
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
    '409 email_taken /email': async () => {
      await aContact(service, { email: 'taken@example.com' })
      return call('PATCH', `contacts/${contactId}`, { email: 'Taken@example.com' })
    },
    '409 external_id_taken /externalId': async () => {
      await aContact(service, { externalId: 'taken' })
      return post('contacts', { email: 'not-taken@example.com', externalId: 'taken' })
    },
    '401 ip_not_allowed': async () => {
      const key = await service.newKey({ allowedRanges: ['203.0.113.0/24'] })
      return call('GET', 'whoami', undefined, { key })
    },
    '400 weak_password /password': async () =>
      byNobody('invitation/accept', { ...credentials, token: await aLink(service), password: 'short' }),
    '400 invited_another /email': async () =>
      byNobody('invitation/accept', { ...credentials, token: await aLink(service, 'viewer', 'bob@example.com') }),
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
    '409 too_many_invitations': async () => {
      const { workspaceId: id } = await openWorkspace({ worker: false })
      const { browser } = await aMember(service, 'owner', id)
      await sql(
        em(),
        `with made as (
           insert into invitations (id, token_hash, role, expires_at)
           select gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), 'viewer', now() + interval '1 day' from generate_series(1, 100) n
           returning id
         ) insert into invitation_workspaces (invitation_id, workspace_id) select id, $1::uuid from made`,
        [id],
      )
      return browser.ask('POST', 'invitations', { workspaceId: id, body: { role: 'viewer' } })
    },
    '404 password_reset_not_found /token': () =>
      byNobody('password-reset/complete', { token: 'x'.repeat(43), password: PASSWORD }),
    '404 invitation_not_found /token': () => byNobody('invitation', { token: 'x'.repeat(43) }),
    '404 session_not_found': () => askAs('viewer', 'DELETE', `sessions/${newId()}`),
    '404 contact_not_found /contactId': () => enroll(service, automationId, automationId),
    '404 list_not_found /listId': () => post('contacts', { email: 'ada@example.com', listId: contactId }),
    '404 segment_not_found /segmentId': () => call('GET', `contacts?segmentId=${contactId}`),
    '409 delivery_unconfirmed /evenIfSent': async () => post(`messages/${await aMessage('UNCONFIRMED')}/retry`, {}),
    '409 message_not_unconfirmed': async () => post(`messages/${await aMessage('SENT')}/dismiss`, {}),
    '409 from_address_missing': () => askAs('owner', 'POST', 'sender/dkim', {}),
    '409 secrets_key_missing': async () => {
      await askAs('owner', 'PUT', 'sender', { fromAddress: 'hello@orchard.example' })
      return askAs('owner', 'POST', 'sender/dkim', {}, limited)
    },
    '409 dkim_selector_in_use /selector': async () => {
      await sql(
        em(),
        `insert into dkim_keys (workspace_id, role, domain, selector, public_key, private_key)
         values ($1::uuid, 'SIGNING', 'orchard.example', 'one', 'x', 'x')`,
        [service.workspaceId],
      )
      return askAs('owner', 'POST', 'sender/dkim', { selector: 'one' })
    },
    '404 import_not_found': () => call('GET', `imports/${newId()}`),
    '400 import_too_large': async () => {
      const id = await made('imports', { name: 'x' })
      await sql(service.context.orm.em.fork(), 'update imports set uploaded = 300000000 where id = $1::uuid', [id])
      return post(`imports/${id}/chunks`, { ...whole('x'), position: 300_000_000 })
    },
    '409 import_position_mismatch /position': async () =>
      post(`imports/${await made('imports', { name: 'x' })}/chunks`, { ...whole('email\n'), position: 7 }),
    '404 delivery_not_found': async () => {
      const { id } = await aWebhook(service, { events: ['contact.created'] })
      return call('GET', `webhooks/${id}/deliveries/${newId()}`)
    },
    '404 feedback_source_not_found': () => askAs('owner', 'DELETE', 'feedback-sources/postmark'),
    '409 contact_left_list /contactId': async () => {
      const id = await aContact(service)
      await sql(em(), 'insert into list_opt_outs (list_id, contact_id) values ($1::uuid, $2::uuid)', [listId, id])
      return post(`lists/${listId}/contacts`, { contactId: id })
    },
    '400 from_not_allowed /from': () =>
      post('emails', { to: 'ada@example.com', subject: 'x', text: 'x', from: 'a@elsewhere.example' }),
    '409 template_name_taken /name': async () => {
      await made('templates', { name: 'twice', kind: 'PARTIAL', html: 'x' })
      return post('templates', { name: 'twice', kind: 'PARTIAL', html: 'x' })
    },
    '404 campaign_not_found': () => call('GET', `campaigns/${newId()}`),
    '400 time_in_past /at': async () =>
      post(`campaigns/${await aCampaign(await aFullList())}/schedule`, { at: '2020-01-01T00:00:00Z' }),
    '500 internal_error': () => broken.send('POST', `automations/${automationId}/enroll`, { contactId }),
    '503 conflict': () => postWhile('40P01'),
    // A statement that reaches the time limit. test/platform/outcomes.instance.test.ts waits for a real one.
    '500 too_expensive': () => postWhile('57014'),
    '503 temporal_unavailable': async () => {
      const automation = await anAutomation(limited)
      return enroll(limited, automation, await aContact(limited))
    },
  }
  /** Sends a request as a new member, by default in the workspace of the service. */
  const askAs = async (role: Role, method: string, path: string, body?: unknown, of = service) => {
    const { browser } = await aMember(of, role)
    return browser.ask(method, path, { body, workspaceId: service.workspaceId })
  }
  const byNobody = (path: string, body: unknown) => openBrowser(service).ask('POST', path, { body })
  const credentials = { email: 'nobody@example.com', password: PASSWORD }

  it('has the code of each error, and the JSON pointer in X-Error-Param', () =>
    checkRows(requests, async (request, expected) => {
      // All requests without an account come from one address, and so share one rate limit.
      await sql(em(), 'delete from rate_windows')
      const { refused, headers } = await request()
      const [status, code, param] = expected.split(' ')
      assert.equal(refused, `${status} ${code}`)
      if (headers) assert.equal(headers.get('x-error-param'), param ?? null)
    }))

  it('is asserted for every documented code, in this or another file', () => {
    const files = globSync('test/**/*.test.ts', { exclude: ['**/*.system.test.ts'] }).map((file) =>
      readFileSync(file, 'utf8'),
    )
    const asserted = new Set(
      files.flatMap((file) => [...file.matchAll(/['"^]\d{3} ([a-z_]+)\b/g)].map(([, code]) => code)),
    )
    assert.deepEqual(
      [...documentedCodes()].filter((code) => !asserted.has(code)),
      [],
    )
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
