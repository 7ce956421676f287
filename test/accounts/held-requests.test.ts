import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { beginSession } from '../../src/accounts/sessions.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, EMAIL } from '../support/factories.ts'
import { aMember, PASSWORD, type SignedInMember } from '../support/members.ts'
import { startService, type Answer, type Service } from '../support/service.ts'

describe('a request whose body comes long after its head', () => {
  let service: Service
  before(async () => {
    service = await startService({ worker: false })
  })
  after(() => service.stop())
  beforeEach(() => sql(em(), 'delete from rate_windows'))

  const em = () => service.context.orm.em.fork()

  /** Sends a head, and waits until whoever it is of was let in. @returns what sends the body, and waits for the answer */
  async function begin(path: string, body: unknown, headers: Record<string, string>): Promise<() => Promise<string>> {
    const text = JSON.stringify(body)
    const held: ClientRequest = request({
      host: '127.0.0.1',
      port: service.port,
      path: `/api/v1/${path}`,
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) },
    })
    await sql(em(), 'delete from rate_windows')
    held.write(text.slice(0, 1))
    await eventually('it is let in', async () => (await sql(em(), 'select from rate_windows')).length > 0 || undefined)
    return async () => {
      const answered = once(held, 'response') as Promise<[IncomingMessage]>
      held.end(text.slice(1))
      const [answer] = await answered
      answer.resume()
      return `${answer.statusCode} ${String(answer.headers['x-error-code'] ?? '')}`.trim()
    }
  }
  const beginAs = ({ browser }: SignedInMember, path: string, body: unknown) =>
    begin(path, body, browser.headers(service.workspaceId))
  const KEY = { name: 'Thief', scopes: ['contacts:read'] }
  const AUTOMATION = { name: 'Held', trigger: 'EVENT', triggerConfig: { eventName: 'held' }, steps: [EMAIL] }
  const remove = async (owner: SignedInMember, path: string) => {
    const { status } = await owner.browser.ask('DELETE', path, { workspaceId: service.workspaceId })
    assert.equal(status, 200)
  }

  /** As if it had taken so long. */
  async function secondsLater(finish: () => Promise<string>): Promise<string> {
    const now = performance.now.bind(performance)
    performance.now = () => now() + 2_000
    try {
      return await finish()
    } finally {
      delete (performance as { now?: unknown }).now
    }
  }

  it('reads nothing for whoever was removed, and is told no answer that was kept', async () => {
    const owner = await aMember(service)
    const viewer = await aMember(service, 'viewer')
    const editor = await aMember(service, 'editor')
    const headers = { 'Idempotency-Key': 'the-same' }
    const contact = { email: 'kept@example.com' }
    const workspaceId = service.workspaceId
    const made = await owner.browser.ask('POST', 'contacts', { workspaceId, body: contact, headers })
    assert.equal(made.status, 201)
    const finish = [
      await beginAs(viewer, 'emails/preview', { subject: 'x', text: 'y' }),
      await begin('contacts', contact, { ...editor.browser.headers(workspaceId), ...headers }),
    ]
    for (const { accountId } of [viewer, editor]) await remove(owner, `members/${accountId}`)
    for (const each of finish) assert.equal(await secondsLater(each), '403 no_member')
  })

  for (const [what, path, body] of [
    ['a key', 'api-keys', KEY],
    ['a link', 'invitations', { role: 'owner' }],
    ['a workspace', 'workspaces', { name: 'Another', mode: 'live' }],
    ['an automation', 'automations', AUTOMATION],
  ] as const) {
    it(`makes no ${what.replace(/^an? /, '')} for whoever was signed out everywhere meanwhile`, async () => {
      const member = await aMember(service)
      const finish = await beginAs(member, path, body)
      await remove(member, 'sessions')
      assert.equal(await finish(), '401 signed_out')
      assert.deepEqual(await sql(em(), 'select from invitations'), [])
    })

    it(`makes ${what} for whoever still is`, async () => {
      const finish = await beginAs(await aMember(service), path, body)
      assert.match(await finish(), /^201/)
      await sql(em(), 'delete from invitations')
    })
  }

  it('does nothing for whoever was removed meanwhile, or is less than it takes', async () => {
    const owner = await aMember(service)
    const gone = await aMember(service)
    const less = await aMember(service, 'editor')
    const finish = [await beginAs(gone, 'api-keys', KEY), await beginAs(less, 'automations', AUTOMATION)]
    await remove(owner, `members/${gone.accountId}`)
    const { status } = await owner.browser.ask('PATCH', `members/${less.accountId}`, {
      workspaceId: service.workspaceId,
      body: { role: 'viewer' },
    })
    assert.equal(status, 200)
    assert.equal(await finish[0]!(), '403 no_member')
    assert.equal(await finish[1]!(), '403 role_missing')
  })

  it('changes no password for whoever was signed out while the present one was looked at', async () => {
    const { browser, accountId } = await aMember(service)
    const hashOf = () => sql(em(), 'select password_hash from accounts where id = $1', [accountId])
    const before = await hashOf()
    const body = { presentPassword: PASSWORD, password: 'another battery horse' }
    const { asked } = await em().transactional(async (unit) => {
      await sql(unit, 'select from accounts where id = $1 for update', [accountId])
      const asked = browser.ask('PUT', 'account/password', { body })
      await eventually('it waits for the account', async () => (await locksWaitedFor()) > 0 || undefined)
      await sql(unit, 'delete from sessions where account_id = $1', [accountId])
      // In an object: the end of the transaction does not wait for it.
      return { asked }
    })
    assert.equal((await asked).refused, '401 signed_out')
    assert.deepEqual(await hashOf(), before)
  })

  /** Does something while a row is locked that a request waits for. @returns the request's answer, made when the row is free again */
  async function whileHeld(lock: string, of: unknown[], ask: () => Promise<Answer>, meanwhile: () => Promise<unknown>) {
    const { asked } = await em().transactional(async (unit) => {
      await sql(unit, lock, of)
      const asked = ask()
      await eventually('it waits for a lock', async () => (await locksWaitedFor()) > 0 || undefined)
      await meanwhile()
      return { asked }
    })
    return asked
  }

  it('removes no passkey, and signs nobody out, for whoever was signed out while the account was another one’s', async () => {
    const { browser, accountId, email } = await aMember(service)
    await sql(
      em(),
      `insert into passkeys (id, account_id, credential_id, public_key, counter, transports, name, created_at)
       values ($1, $2, $3, '', 0, '{}', 'Phone', now())`,
      [newId(), accountId, email],
    )
    const [passkey] = await sql<{ id: string }>(em(), 'select id from passkeys where account_id = $1', [accountId])
    const hold = 'select from accounts where id = $1 for no key update'
    for (const path of [`account/passkeys/${passkey!.id}`, 'sessions']) {
      browser.cookie = `dripline=${await beginSession(em(), accountId, 'Asks')}`
      const answer = await whileHeld(
        hold,
        [accountId],
        () => browser.ask('DELETE', path),
        async () => {
          await sql(em(), 'delete from sessions where account_id = $1', [accountId])
          await beginSession(em(), accountId, 'Who has changed the password')
        },
      )
      assert.equal(answer.refused, '401 signed_out', path)
      assert.equal((await sql(em(), 'select from sessions where account_id = $1', [accountId])).length, 1)
    }
    assert.equal((await sql(em(), 'select from passkeys where account_id = $1', [accountId])).length, 1)
  })

  describe('for a list that is emptied in pages', () => {
    let listId: string
    beforeEach(async () => {
      listId = (await service.call('POST', 'lists', { name: 'Large' })).body.data.id as string
      // More than two pages, and no statement of them all.
      for (let n = 0; n < 11; n += 1) {
        await sql(
          em(),
          `with made as (
             insert into contacts (id, workspace_id, email, email_key)
             select id, $1, 'of-list-' || id || '@example.com', 'of-list-' || id || '@example.com'
             from (select gen_random_uuid() as id from generate_series(1, 1000)) each
             returning id
           ) insert into list_members (list_id, contact_id) select $2, id from made`,
          [service.workspaceId, listId],
        )
      }
    })
    afterEach(async () => {
      const some = `delete from contacts where id in (select id from contacts where email_key like 'of-list-%' limit 1000) returning id`
      while ((await sql(em(), some, [])).length > 0);
    })
    const left = async () => (await sql(em(), 'select from list_members where list_id = $1', [listId])).length
    const itsMembers = 'select from list_members where list_id = $1 for update'

    it('empties no more of it for whoever was removed meanwhile, and is told of', async () => {
      const owner = await aMember(service)
      const editor = await aMember(service, 'editor')
      const answer = await whileHeld(
        itsMembers,
        [listId],
        () => editor.browser.ask('DELETE', `lists/${listId}`, { workspaceId: service.workspaceId }),
        () => remove(owner, `members/${editor.accountId}`),
      )
      assert.equal(answer.refused, '403 no_member')
      assert.ok((await left()) > 0)
      const told = `select from audit_entries where operation = 'deleteList' and target_id = $1`
      assert.equal((await sql(em(), told, [listId])).length, 1)
    })

    it('lets no automation listen for it any more once it has begun', async () => {
      const triggerConfig = { listId }
      const automationId = await anAutomation(service, { status: 'DRAFT', trigger: 'LIST_ADDED', triggerConfig })
      let activated: Answer | undefined
      const answer = await whileHeld(
        itsMembers,
        [listId],
        () => service.call('DELETE', `lists/${listId}`),
        async () => {
          activated = await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
        },
      )
      // It would hear of half of its members.
      assert.match(activated?.refused ?? '', /^400 automation_never_acts/)
      assert.equal(answer.status, 200)
      assert.equal(await left(), 0)
    })
  })

  it('changes nothing of a contact, and enrolls nobody, for whoever was removed while the contact was another one’s', async () => {
    const owner = await aMember(service)
    const editor = await aMember(service, 'editor')
    const { workspaceId } = service
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    const contactId = await aContact(service, { metadata: { plan: 'free' } })
    const answer = await whileHeld(
      'select from contacts where id = $1 for update',
      [contactId],
      () =>
        editor.browser.ask('POST', `automations/${automationId}/enroll`, {
          workspaceId,
          body: { contactId, merge: { plan: 'stolen' } },
        }),
      () => remove(owner, `members/${editor.accountId}`),
    )
    assert.equal(answer.refused, '403 no_member')
    assert.deepEqual((await service.call('GET', `contacts/${contactId}`)).body.data.metadata, { plan: 'free' })
    assert.deepEqual((await service.call('GET', `contacts/${contactId}/enrollments`)).body.data, [])
  })

  it('is told no kept answer that it has waited for, once removed', async () => {
    const owner = await aMember(service)
    const editor = await aMember(service, 'editor')
    const { workspaceId } = service
    const ask = () =>
      editor.browser.ask('POST', 'contacts', {
        workspaceId,
        body: { email: 'waited-for@example.com' },
        headers: { 'Idempotency-Key': 'waited-for' },
      })
    assert.equal((await ask()).status, 201)
    const answer = await whileHeld(`select from idempotency_keys where key = 'waited-for' for update`, [], ask, () =>
      remove(owner, `members/${editor.accountId}`),
    )
    assert.equal(answer.refused, '403 no_member')
  })

  const LOCKS = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const locksWaitedFor = async () => (await sql(em(), LOCKS)).length

  async function aKey(owner: SignedInMember, scope: string): Promise<{ id: string; key: string }> {
    const body = { name: 'Stolen', scopes: [scope] }
    const made = await owner.browser.ask('POST', 'api-keys', { workspaceId: service.workspaceId, body })
    return (made.body as { data: { id: string; key: string } }).data
  }

  it('does nothing for a key that was deleted while what it changes was another one’s', async () => {
    const owner = await aMember(service)
    const { id, key } = await aKey(owner, 'lists:write')
    const { body } = await service.call('POST', 'lists', { name: 'Held' })
    const path = `lists/${body.data.id as string}`
    const nameOf = async () => (await service.call('GET', path)).body.data.name as string
    const now = performance.now.bind(performance)
    try {
      const answer = await whileHeld(
        'select from lists where id = $1 for update',
        [body.data.id],
        () => service.call('PATCH', path, { name: 'Stolen' }, { key }),
        async () => {
          await remove(owner, `api-keys/${id}`)
          performance.now = () => now() + 2_000
        },
      )
      assert.equal(answer.refused, '401 key_unknown')
    } finally {
      delete (performance as { now?: unknown }).now
    }
    assert.equal(await nameOf(), 'Held')
  })

  it('does nothing for a key that was deleted a second ago', async () => {
    const owner = await aMember(service)
    const { id, key } = await aKey(owner, 'contacts:write')
    const finish = await begin('contacts', { email: 'held@example.com' }, { Authorization: `Bearer ${key}` })
    await remove(owner, `api-keys/${id}`)
    assert.equal(await secondsLater(finish), '401 key_unknown')
    assert.deepEqual(await sql(em(), `select from contacts where email = 'held@example.com'`), [])
  })
})
