import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import { beginChallenge } from '../../src/accounts/challenges.ts'
import { deleteExpired } from '../../src/accounts/queries.ts'
import { limitPasswordChecks } from '../../src/accounts/rate-limits.ts'
import { beginSession } from '../../src/accounts/sessions.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { Role } from '../../src/http/roles.ts'
import { type BrowserLike, openBrowser } from '../support/browser-like.ts'
import { aLink, aMember, PASSWORD } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('a session', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })
  // All requests come from one address, and so share one rate limit.
  beforeEach(() => sql(em(), 'delete from rate_windows'))

  const em = () => service.context.orm.em.fork()
  const link = (role?: Role, email?: string) => aLink(service, role, email)
  const aMemberOf = (role?: Role) => aMember(service, role)
  const session = ({ browser }: { browser: BrowserLike }) => browser.ask('GET', 'session')
  const signIn = (email: string, password = PASSWORD, browser = openBrowser(service)) =>
    browser.ask('POST', 'session', { body: { email, password } })

  it('ends at a sign-out and when another session of the account changes the password', async () => {
    const { browser, email } = await aMemberOf()
    const other = openBrowser(service)
    await signIn(email, PASSWORD, other)
    const stolen = other.cookie
    const { body } = await browser.ask('GET', 'sessions')
    assert.deepEqual(body.data.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent).toSorted(), [false, true])
    const change = (currentPassword: string) =>
      browser.ask('PUT', 'account/password', { body: { currentPassword, password: 'battery staple horse' } })
    assert.equal((await change('wrong horse battery')).refused, '401 wrong_credentials')
    assert.equal((await change(PASSWORD)).status, 200)
    assert.equal((await session({ browser })).status, 200)
    assert.equal((await session({ browser: other })).refused, '401 signed_out')
    await signIn(email, 'battery staple horse', other)
    await browser.ask('DELETE', 'session')
    assert.equal(browser.cookie, undefined)
    assert.equal((await session({ browser: other })).status, 200)
    await other.ask('DELETE', 'sessions')
    other.cookie = stolen
    assert.equal((await session({ browser: other })).refused, '401 signed_out')
  })

  it('returns 401 when an old session ends another session or removes a passkey', async () => {
    const { browser, email, accountId } = await aMemberOf()
    const other = openBrowser(service)
    await signIn(email, PASSWORD, other)
    const { body } = await browser.ask('GET', 'sessions')
    const sessions = body.data as { id: string; isCurrent: boolean }[]
    const idOf = (isCurrent: boolean) => sessions.find((each) => each.isCurrent === isCurrent)!.id
    const old = `update sessions set created_at = now() - interval '11 minutes' where id = $1 and account_id = $2`
    await sql(em(), old, [idOf(true), accountId])
    assert.equal((await browser.ask('DELETE', `sessions/${idOf(false)}`)).refused, '401 sign_in_again')
    assert.equal((await browser.ask('DELETE', `account/passkeys/${newId()}`)).refused, '401 sign_in_again')
    assert.equal((await session({ browser: other })).status, 200)
    assert.equal((await other.ask('DELETE', `sessions/${idOf(true)}`)).status, 200)
    assert.equal((await session({ browser })).refused, '401 signed_out')
  })

  it('returns 401 when an old session adds or removes an owner', async () => {
    const { browser, accountId } = await aMemberOf()
    const owner = await aMemberOf()
    const editor = await aMemberOf('editor')
    const { workspaceId } = service
    await sql(em(), `update sessions set created_at = now() - interval '11 minutes' where account_id = $1`, [accountId])
    const ask = async (method: string, path: string, body?: object) =>
      (await browser.ask(method, path, { workspaceId, ...(body && { body }) })).refused ?? 'done'
    assert.equal(await ask('POST', 'invitations', { role: 'owner' }), '401 sign_in_again')
    assert.equal(await ask('PATCH', `members/${editor.accountId}`, { role: 'owner' }), '401 sign_in_again')
    assert.equal(await ask('PATCH', `members/${owner.accountId}`, { role: 'editor' }), '401 sign_in_again')
    assert.equal(await ask('POST', 'api-keys', { name: 'Mine', scopes: ['contacts:read'] }), '401 sign_in_again')
    assert.equal(await ask('POST', `api-keys/${newId()}/rotate`, {}), '401 sign_in_again')
    assert.equal(await ask('DELETE', `members/${owner.accountId}`), '401 sign_in_again')
    assert.equal(await ask('DELETE', `members/${accountId}`), '401 sign_in_again')
    // Everything else is allowed.
    assert.equal(await ask('POST', 'invitations', { role: 'editor' }), 'done')
    assert.equal(await ask('PATCH', `members/${editor.accountId}`, { role: 'viewer' }), 'done')
    assert.equal(await ask('DELETE', `members/${editor.accountId}`), 'done')
  })

  it('rotates an API key with the default overlap of a day', async () => {
    const { browser } = await aMemberOf()
    const { workspaceId } = service
    const ask = (method: string, path: string, body: object) => browser.ask(method, path, { workspaceId, body })
    const made = await ask('POST', 'api-keys', { name: 'Mine', scopes: ['contacts:read'] })
    const { id } = made.body.data as { id: string }
    assert.equal((await ask('POST', `api-keys/${id}/rotate`, {})).status, 201)
    const { body } = await browser.ask('GET', 'api-keys', { workspaceId })
    const old = (body.data as { id: string; expiresAt: string }[]).find((key) => key.id === id)!
    const hours = (Date.parse(old.expiresAt) - Date.now()) / 3_600_000
    assert.ok(hours > 23.9 && hours <= 24, `it expires in ${hours} hours`)
  })

  it('keeps only the thirty most recently used sessions of an account', async () => {
    const { browser, accountId } = await aMemberOf()
    const used = `update sessions set last_used_at = now() + interval '1 minute' where account_id = $1`
    await sql(em(), used, [accountId])
    for (let n = 0; n < 32; n += 1) await beginSession(em(), accountId, 'Again')
    assert.equal((await sql(em(), 'select from sessions where account_id = $1', [accountId])).length, 30)
    assert.equal((await session({ browser })).status, 200)
  })

  it('limits password checks to ten a minute per session and fifty per account', async () => {
    const { accountId } = await aMemberOf()
    const tries = async (sessions: number) => {
      let admitted = 0
      for (let n = 0; n < sessions; n += 1) {
        const sessionId = newId()
        for (let m = 0; m < 11; m += 1)
          admitted += await limitPasswordChecks(em(), { accountId, sessionId }).then(
            () => 1,
            () => 0,
          )
      }
      return admitted
    }
    assert.equal(await tries(1), 10)
    assert.equal(await tries(7), 50)
  })

  it('returns 403 for a request from another site', async () => {
    const { browser, email } = await aMemberOf()
    const foreign = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': '', Origin: 'null' },
      { 'Sec-Fetch-Site': '', Origin: '' },
    ]
    for (const headers of foreign) {
      const answer = await browser.ask('DELETE', 'session', { headers })
      assert.equal(answer.refused, '403 wrong_origin', JSON.stringify(headers))
    }
    assert.equal((await session({ browser })).status, 200)
    const [first] = foreign
    const forged = await openBrowser(service).ask('POST', 'session', {
      body: { email, password: PASSWORD },
      headers: first!,
    })
    assert.equal(forged.refused, '403 wrong_origin')
  })

  it('can be ended by a new session after it has used up its rate limit', async () => {
    const { browser: stolen, email } = await aMemberOf('owner')
    await sql(
      em(),
      `select take_request(md5('session ' || sessions.id)::uuid, 1200, null)
       from sessions join accounts on accounts.id = account_id, generate_series(1, 1200) where email = $1`,
      [email],
    )
    assert.equal((await session({ browser: stolen })).refused, '429 rate_limited')
    const owner = openBrowser(service)
    owner.cookie = (await signIn(email, PASSWORD, owner)).headers.getSetCookie()[0]!.split(';')[0]
    assert.equal((await owner.ask('DELETE', 'sessions')).status, 200)
    await sql(em(), 'delete from rate_windows')
    assert.equal((await session({ browser: stolen })).refused, '401 signed_out')
  })

  it('deletes expired sessions, invitations and challenges', async () => {
    const { browser, accountId } = await aMemberOf()
    await link('viewer')
    await beginChallenge(em(), 'new-passkey', { accountId })
    const mine = [accountId, service.workspaceId]
    const there = async () => {
      const [row] = await sql<{ sessions: number; invitations: number; challenges: number }>(
        em(),
        `select (select count(*) from sessions where account_id = $1::uuid)::integer as sessions,
           (select count(*) from invitation_workspaces where workspace_id = $2::uuid)::integer as invitations,
           (select count(*) from challenges where account_id = $1::uuid)::integer as challenges`,
        mine,
      )
      return row!
    }
    const before = await there()
    await deleteExpired(em(), 1_000)
    assert.deepEqual(await there(), before, 'deletes only expired rows')
    assert.ok(before.sessions > 0 && before.invitations > 0 && before.challenges > 0)
    const expired = `set expires_at = now() - interval '1 second'`
    await sql(em(), `update sessions ${expired} where account_id = $1::uuid`, [accountId])
    await sql(em(), `update challenges ${expired} where account_id = $1::uuid`, [accountId])
    await sql(
      em(),
      `update invitations ${expired} where id in (select invitation_id from invitation_workspaces where workspace_id = $1::uuid)`,
      [service.workspaceId],
    )
    assert.equal((await session({ browser })).refused, '401 signed_out')
    await deleteExpired(em(), 1_000)
    assert.deepEqual(await there(), { sessions: 0, invitations: 0, challenges: 0 })
  })
})
