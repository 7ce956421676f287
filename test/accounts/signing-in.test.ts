import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import type { Role } from '../../src/http/roles.ts'
import { type AnotherApi, startAnotherApi } from '../support/another-api.ts'
import { type BrowserLike, openBrowser } from '../support/browser-like.ts'
import { aLink, aMember, PASSWORD } from '../support/members.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('signing in', () => {
  /** Without a public URL, as on the machine of a developer. */
  let service: AnotherApi
  before(async () => {
    service = await startAnotherApi(await openWorkspace({ worker: false }), { PUBLIC_URL: undefined })
  })
  after(() => service.stop())
  // All requests come from one address, and so share one rate limit.
  beforeEach(() => sql(em(), 'delete from rate_windows'))

  const em = () => service.context.orm.em.fork()
  const link = (role?: Role, email?: string) => aLink(service, role, email)
  const aMemberOf = (role?: Role) => aMember(service, role)
  const session = ({ browser }: { browser: BrowserLike }) => browser.ask('GET', 'session')
  const signIn = (email: string, password = PASSWORD, browser = openBrowser(service)) =>
    browser.ask('POST', 'session', { body: { email, password } })

  const accept = (token: string, email: string, password = PASSWORD, browser = openBrowser(service)) =>
    browser.ask('POST', 'invitation/accept', { body: { token, email, password } })

  it('creates an account from an invitation, which works once', async () => {
    const token = await link('editor')
    const browser = openBrowser(service)
    const offer = await browser.ask('POST', 'invitation', { body: { token } })
    assert.deepEqual([offer.body.data.role, offer.body.data.email], ['editor', null])
    assert.equal((await accept(token, 'Signs-Up@example.com', PASSWORD, browser)).status, 200)
    const { body: mine } = await session({ browser })
    assert.equal(mine.data.account.email, 'Signs-Up@example.com')
    assert.deepEqual(
      mine.data.workspaces.map(({ id, role }: { id: string; role: string }) => [id, role]),
      [[service.workspaceId, 'editor']],
    )
    assert.equal((await accept(token, 'eve@example.com')).refused, '404 invitation_not_found')
    assert.equal((await browser.ask('POST', 'invitation', { body: { token } })).refused, '404 invitation_not_found')
  })

  it('lets one of several concurrent requests accept an invitation', async () => {
    const token = await link()
    const answers = await Promise.all([1, 2, 3].map((n) => accept(token, `${n}-of-three@example.com`)))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404])
  })

  it('accepts the email in upper or lower case with the password', async () => {
    const { email } = await aMemberOf()
    const browser = openBrowser(service)
    assert.equal((await signIn(email.toUpperCase(), PASSWORD, browser)).status, 200)
    assert.equal((await session({ browser })).body.data.account.email, email)
  })

  it('sets a cookie that is HttpOnly and SameSite=Strict', async () => {
    const { email } = await aMemberOf()
    const answer = await signIn(email)
    const [cookie] = answer.headers.getSetCookie()
    assert.match(cookie!, /^dripline=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/)
    assert.ok(!JSON.stringify(answer.body).includes(/=([\w-]+)/.exec(cookie!)![1]!))
  })

  it('returns the same error for an unknown email and a wrong password', async () => {
    const { email } = await aMemberOf()
    const wrong = await signIn(email, 'wrong horse battery')
    const unknown = await signIn('nobody@example.com')
    assert.equal(wrong.refused, '401 wrong_credentials')
    assert.deepEqual([unknown.refused, unknown.body], [wrong.refused, wrong.body])
  })

  it('rejects weak passwords, and requires the current password of an existing account', async () => {
    const token = await link()
    for (const password of ['short', 'passwordpassword1', 'aaaaaaaaaaaaaaaa', 'weak@example.com', 'x'.repeat(300)]) {
      const { refused } = await accept(token, 'weak@example.com', password)
      assert.equal(refused, '400 weak_password', password)
    }
    const { email } = await aMemberOf('viewer')
    assert.equal((await accept(token, email, 'another horse battery')).refused, '401 wrong_credentials')
    const browser = openBrowser(service)
    assert.equal((await accept(token, email, PASSWORD, browser)).status, 200)
    assert.equal((await session({ browser })).body.data.workspaces[0].role, 'owner')
  })

  it('lets only the invited email accept an invitation', async () => {
    const token = await link('viewer', 'invited-by-name@example.com')
    assert.equal((await accept(token, 'another@example.com')).refused, '400 invited_another')
    assert.equal((await accept(token, 'Invited-By-Name@example.com')).status, 200)
  })

  it('limits attempts to ten a minute per address and thirty per account', async () => {
    const { email } = await aMemberOf()
    await sql(em(), 'delete from rate_windows')
    const guesses = await Promise.all(Array.from({ length: 14 }, (_, n) => signIn(email, `wrong horse ${n}`)))
    const refused = guesses.filter((guess) => guess.refused === '429 too_many_attempts')
    assert.equal(refused.length, 4)
    assert.ok(Number(refused[0]!.headers.get('retry-after')) > 0)
    // The right password is also rejected.
    assert.equal((await signIn(email)).refused, '429 too_many_attempts')
  })

  it('resets the password through an invitation for the same email, and ends older sessions', async () => {
    const { email, browser } = await aMemberOf('viewer')
    const another = 'another battery horse'
    // An invitation without an email cannot reset a password.
    assert.equal((await accept(await link('owner'), email, another)).refused, '401 wrong_credentials')
    assert.equal((await accept(await link('viewer', email), email, another)).status, 200)
    const entries = await sql(em(), `select from audit_entries where operation = 'resetPassword' and actor_name = $1`, [
      email,
    ])
    assert.equal(entries.length, 1)
    assert.equal((await session({ browser })).refused, '401 signed_out')
    assert.equal((await signIn(email, another)).status, 200)
    assert.equal((await signIn(email)).refused, '401 wrong_credentials')
  })

  it('writes audit entries with the address for sign-ins, wrong passwords and sign-outs', async () => {
    const { email, accountId } = await aMemberOf('editor')
    const { browser: owner } = await aMemberOf('owner')
    const browser = openBrowser(service)
    assert.equal((await signIn(email, 'wrong horse battery')).refused, '401 wrong_credentials')
    assert.equal((await signIn('nobody@example.com', 'wrong horse battery')).refused, '401 wrong_credentials')
    assert.equal((await signIn(email, PASSWORD, browser)).status, 200)
    assert.equal((await browser.ask('DELETE', 'session')).status, 200)
    const { body } = await owner.ask('GET', 'audit?limit=50', { workspaceId: service.workspaceId })
    const entries = body.data as { operation: string; actorId: string; actorName: string; address: string | null }[]
    assert.deepEqual(
      entries.filter(({ actorId }) => actorId === accountId).map(({ operation, address }) => [operation, address]),
      [
        ['signOut', '127.0.0.1'],
        ['signIn', '127.0.0.1'],
        ['failedSignIn', '127.0.0.1'],
      ],
    )
    assert.ok(!entries.some(({ actorName }) => actorName === 'nobody@example.com'))
  })

  it('rejects an old password that is being checked while it is changed', async () => {
    const { email, browser } = await aMemberOf()
    const change = browser.ask('PUT', 'account/password', {
      body: { currentPassword: PASSWORD, password: 'another battery horse' },
    })
    const tries = await Promise.all(Array.from({ length: 6 }, () => signIn(email)))
    assert.equal((await change).status, 200)
    const [row] = await sql<{ sessions: number }>(
      em(),
      `select count(*)::integer as sessions from sessions join accounts on accounts.id = account_id where email = $1`,
      [email],
    )
    assert.equal(row!.sessions, 1, JSON.stringify(tries.map(({ status }) => status)))
  })

  it('ignores an X-Forwarded-Host that is not a host, from an untrusted proxy', async () => {
    const { refused } = await openBrowser(service).ask('POST', 'session/passkey/begin', {
      headers: { 'X-Forwarded-Host': '[x' },
    })
    assert.equal(refused, undefined, 'the header of an untrusted proxy is ignored')
  })
})
