import assert from 'node:assert/strict'
import getPort from 'get-port'
import type { Browser, Page } from 'playwright-core'
import { createPasswordReset } from '../../src/accounts/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { openChromium, openWindow, signIn } from '../support/chromium.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { aLink, aMember, PASSWORD } from '../support/members.ts'
import { startInstance, type Instance } from '../support/instance.ts'

describe('dashboard sign-in', function () {
  this.timeout(180_000)
  let provider: IdentityProvider
  let service: Instance
  let browser: Browser
  let page: Page
  let failures: string[]
  // Passkeys need a host name instead of an IP address.
  let origin: string
  before(async () => {
    const port = await getPort()
    origin = `http://localhost:${port}`
    provider = await startIdentityProvider([`${origin}/sign-in/callback`])
    service = await startInstance({
      worker: false,
      env: {
        PORT: String(port),
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: provider.clientId,
        OIDC_CLIENT_SECRET: provider.clientSecret,
        OIDC_NAME: 'Orchard SSO',
      },
    })
    browser = await openChromium()
  })
  beforeEach(async () => {
    ;({ page, failures } = await openWindow(browser, service, { also: [origin, provider.issuer] }))
    await sql(service.context.orm.em.fork(), 'delete from rate_windows')
  })
  afterEach(async () => {
    assert.deepEqual(failures, [])
    await page.context().close()
  })
  after(async () => {
    await browser.close()
    await service.stop()
    await provider.close()
  })

  it('resets a forgotten password with a link from an email', async () => {
    const { email, accountId } = await aMember(service)
    const em = service.context.orm.em
    await page.goto('/sign-in')
    await page.getByText('Ask your administrator for a reset link').waitFor()
    await sql(em.fork(), `update instance set mail = 'smtp'`)
    await page.reload()
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    // The page before has a field with the same label.
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Email me a link' }).click()
    await page.getByText('a link is on its way').waitFor()
    await sql(em.fork(), `update instance set mail = 'capture'`)

    const { token } = (await createPasswordReset(em, accountId))!
    await page.goto(`/reset-password#${token}`)
    await page.getByLabel('New password').fill('battery staple horse')
    await page.getByRole('button', { name: 'Set password' }).click()
    await isIn()
    await page.goto(`/reset-password#${token}`)
    await page.getByLabel('New password').fill('battery staple horse')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('This link has already been used or has expired.').waitFor()
    failures.length = 0
  })

  const isIn = () => page.getByRole('heading', { name: 'Home' }).waitFor()

  /** Adds a virtual authenticator that confirms every request. */
  async function aDevice(): Promise<void> {
    const device = await page.context().newCDPSession(page)
    await device.send('WebAuthn.enable')
    await device.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
  }

  it('signs in with a passkey until it is removed', async () => {
    await aDevice()
    const { email } = await aMember(service)
    await signIn(page, email, origin)
    await page.goto(`${origin}/account`)
    await page.getByRole('button', { name: 'Add passkey' }).click()
    const form = page.getByRole('form', { name: 'Add passkey' })
    await form.getByLabel('Name').fill('Laptop')
    await form.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByText('The current password is wrong').waitFor()
    await form.getByRole('textbox', { name: 'Current password' }).fill(PASSWORD)
    await form.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByRole('button', { name: 'Remove Laptop' }).waitFor()

    await page.context().clearCookies()
    await page.goto(`${origin}/sign-in`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await isIn()
    await page.goto(`${origin}/account`)
    await page.getByText(email).waitFor()
    await page.getByRole('button', { name: 'Remove Laptop' }).click()
    await page.getByText('Sign in with your fingerprint').waitFor()

    await page.context().clearCookies()
    await page.goto(`${origin}/sign-in`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('This passkey is unknown').waitFor()
  })

  it('signs in with single sign-on and opens the requested page', async () => {
    const { email } = await aMember(service)
    Object.assign(provider.person, { subject: 'one', email, isVerified: true })
    await page.goto(`${origin}/w/${service.workspaceId}/contacts`)
    await page.getByRole('button', { name: 'Continue with Orchard SSO' }).click()
    await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
  })

  it('signs in invited people with single sign-on and rejects others with a reason', async () => {
    Object.assign(provider.person, { subject: 'two', email: 'two@example.com', isVerified: true })
    await page.goto(`${origin}/sign-in`)
    await page.getByRole('button', { name: 'Continue with Orchard SSO' }).click()
    await page.getByText('No account has the email address of your single sign-on').waitFor()
    await page.goto(`${origin}/join#${await aLink(service, 'viewer')}`)
    await page.getByRole('button', { name: 'Continue with Orchard SSO' }).click()
    await isIn()
    await page.goto(`${origin}/account`)
    await page.getByText('two@example.com').waitFor()
  })
})
