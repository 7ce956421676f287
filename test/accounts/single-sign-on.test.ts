import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { type AnotherApi, startAnotherApi } from '../support/another-api.ts'
import { type BrowserLike, openBrowser } from '../support/browser-like.ts'
import { beginSignIn, type IdentityProvider, signInAt, startIdentityProvider } from '../support/identity-provider.ts'
import { aLink, aMember, PASSWORD } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('single sign-on', () => {
  let provider: IdentityProvider
  let without: Service
  let service: AnotherApi
  before(async () => {
    without = await openWorkspace({ worker: false })
    provider = await startIdentityProvider([`${without.context.config.PUBLIC_URL}/sign-in/callback`])
    service = await startAnotherApi(without, {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      OIDC_NAME: 'Orchard SSO',
    })
  })
  after(async () => {
    await service.stop()
    await provider.close()
  })
  // All requests come from one address, and so share one rate limit.
  beforeEach(() => sql(em(), 'delete from rate_windows'))

  const em = () => service.context.orm.em.fork()
  let people = 0
  /** Signs another person in at the identity provider. */
  const setPerson = (email = `person-${(people += 1)}@example.com`, isVerified = true) =>
    Object.assign(provider.person, { subject: `subject-${(people += 1)}`, email, isVerified })

  const begin = () => beginSignIn(service, provider)
  const signIn = (invitation?: string) => signInAt(service, provider, invitation)
  const readSession = async (browser: BrowserLike) =>
    (await browser.ask('GET', 'session')).body.data as {
      account: { id: string; email: string }
      workspaces: { role: string }[]
    }

  it('returns the configured name of the identity provider', async () => {
    const { body } = await openBrowser(service).ask('GET', 'session/methods')
    assert.deepEqual(body.data, { oidc: { name: 'Orchard SSO' }, passwordReset: false })
  })

  it('signs in the account with the verified email, and recognizes its subject from then on', async () => {
    const { email, accountId } = await aMember(service, 'viewer')
    setPerson(email.toUpperCase())
    const first = await signIn()
    assert.equal(first.answer.status, 200)
    assert.equal((await readSession(first.browser)).account.id, accountId)
    // The email changed at the provider. The account stays the same.
    provider.person.email = 'married@example.com'
    const second = await signIn()
    assert.equal((await readSession(second.browser)).account.id, accountId)
  })

  it('ends the sessions and the password that an account had before its email was verified', async () => {
    const squatter = openBrowser(service)
    const body = { token: await aLink(service, 'viewer'), email: 'boss@example.com', password: PASSWORD }
    assert.equal((await squatter.ask('POST', 'invitation/accept', { body })).status, 200)
    setPerson('boss@example.com')
    const { answer, browser } = await signIn(await aLink(service, 'owner', 'boss@example.com'))
    assert.equal(answer.status, 200)
    assert.equal((await readSession(browser)).workspaces[0]?.role, 'owner')
    assert.equal((await squatter.ask('GET', 'session')).refused, '401 signed_out')
    const { email, password } = body
    assert.equal(
      (await squatter.ask('POST', 'session', { body: { email, password } })).refused,
      '401 wrong_credentials',
    )
  })

  it('rejects a different subject with the email of an account', async () => {
    const { email } = await aMember(service)
    setPerson(email)
    assert.equal((await signIn()).answer.status, 200)
    setPerson(email)
    assert.equal((await signIn()).answer.refused, '401 not_invited')
  })

  it('rejects an email that the provider has not verified', async () => {
    const { email } = await aMember(service, 'owner')
    setPerson(email, false)
    const { answer } = await signIn()
    assert.equal(answer.refused, '401 not_invited')
  })

  it('rejects a person without an account or an invitation', async () => {
    setPerson()
    const { answer } = await signIn()
    assert.equal(answer.refused, '401 not_invited')
  })

  it('creates a member without a password from an invitation link', async () => {
    const { email } = setPerson()
    const link = await aLink(service, 'editor', email)
    const { answer, browser } = await signIn(link)
    assert.equal(answer.status, 200)
    const { account, workspaces } = await readSession(browser)
    assert.deepEqual([account.email, workspaces[0]?.role], [email, 'editor'])
    const again = await browser.ask('POST', 'invitation', { body: { token: link } })
    assert.equal(again.refused, '404 invitation_not_found')
    const byPassword = await openBrowser(service).ask('POST', 'session', { body: { email, password: '' } })
    assert.equal(byPassword.status, 400)
  })

  it('keeps an invitation that another person tries to accept', async () => {
    const { email } = setPerson()
    const link = await aLink(service, 'owner', `not-${email}`)
    const { answer } = await signIn(link)
    assert.equal(answer.refused, '400 invited_another')
    assert.equal((await openBrowser(service).ask('POST', 'invitation', { body: { token: link } })).status, 200)
    assert.equal((await signIn()).answer.refused, '401 not_invited', 'no account is created')
  })

  it('completes once, and only in the browser that started it', async () => {
    const { email } = await aMember(service)
    setPerson(email)
    const { browser, begun, query } = await begin()
    const [cookie] = begun.headers.getSetCookie()
    assert.match(cookie!, /^__Host-dripline-state=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=600; Secure$/)
    const another = (await begin()).browser
    const came = (from: typeof browser) => from.ask('POST', 'session/oidc', { body: { query } })
    const state = browser.cookie
    assert.equal((await came(openBrowser(service))).refused, '401 oidc_failed', 'without a cookie')
    assert.equal((await came(another)).refused, '401 oidc_failed', 'with the cookie of another attempt')
    assert.equal((await came(browser)).status, 200)
    browser.cookie = state
    assert.equal((await came(browser)).refused, '401 oidc_failed', 'a second time')
  })

  it('rejects forged codes, states and issuers', async () => {
    const { email } = await aMember(service)
    setPerson(email)
    for (const forge of [
      (query: string) => query.replace(/code=[^&]+/, 'code=forged'),
      (query: string) => query.replace(/state=[^&]+/, `state=${'x'.repeat(43)}`),
      (query: string) => query.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example.com'),
      () => 'error=access_denied',
      () => '',
    ]) {
      const { browser, query } = await begin()
      const { refused } = await browser.ask('POST', 'session/oidc', { body: { query: forge(query) || '?' } })
      assert.equal(refused, '401 oidc_failed', forge(query))
    }
  })

  it('returns an error when no identity provider is configured or it does not respond', async () => {
    const unreached = await startAnotherApi(without, { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'dripline' })
    try {
      const methods = await openBrowser(without).ask('GET', 'session/methods')
      assert.equal(methods.body.data.oidc, null)
      const beginAt = (of: Service) => openBrowser(of).ask('POST', 'session/oidc/begin', { body: {} })
      assert.equal((await beginAt(without)).refused, '404 oidc_not_configured')
      assert.equal((await beginAt(unreached)).refused, '401 oidc_failed')
    } finally {
      await unreached.stop()
    }
  })
})
