import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'
import { openBrowser } from './browser-like.ts'
import type { Service } from './service.ts'

export interface IdentityProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** The person at the browser, who is signed in without a prompt. */
  person: { subject: string; email: string; isVerified: boolean }
  /** Follows the redirects like a browser. @returns the query of the URL that it is redirected back to */
  visit(url: string): Promise<string>
  close(): Promise<void>
}

/** Starts an OpenID provider: a real one, whose interactions complete immediately. @param redirectUris allowed redirect URIs */
export async function startIdentityProvider(redirectUris: string[]): Promise<IdentityProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { clientId: 'dripline', clientSecret: 'a secret of this test' }
  const person = { subject: 'ada', email: 'ada@example.com', isVerified: true }
  const configuration: Configuration = {
    clients: [{ client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: redirectUris }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['of this test alone'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: person.email, email_verified: person.isVerified }),
    }),
    async loadExistingGrant(ctx) {
      const { Grant } = ctx.oidc.provider
      const grant = new Grant({ clientId: client.clientId, accountId: ctx.oidc.session!.accountId! })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  }
  const provider = new Provider(issuer, configuration)
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response)
    void provider.interactionFinished(request, response, { login: { accountId: person.subject, remember: false } })
  })
  return {
    issuer,
    ...client,
    person,
    async visit(url) {
      const cookies = new Map<string, string>()
      let at = url
      for (let hop = 0; hop < 10; hop += 1) {
        const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
        const { headers: answered, status } = await fetch(at, { redirect: 'manual', headers })
        const location = answered.get('location')
        if (location === null) throw new Error(`The identity provider returned ${status} for ${at}`)
        for (const cookie of answered.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
          cookies.set(name, value)
        }
        at = new URL(location, at).href
        if (!at.startsWith(issuer)) return new URL(at).search.slice(1)
      }
      throw new Error('The identity provider redirects in circles')
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Starts single sign-on and signs the person in at the provider. @returns the browser, and the query of its redirect URI */
export async function beginSignIn(service: Service, provider: IdentityProvider, invitation?: string) {
  const browser = openBrowser(service)
  const begun = await browser.ask('POST', 'session/oidc/begin', { body: { invitation } })
  browser.cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!
  return { browser, begun, query: await provider.visit((begun.body as { data: { url: string } }).data.url) }
}

/** Signs the person of the provider in by single sign-on. */
export async function signInAt(service: Service, provider: IdentityProvider, invitation?: string) {
  const { browser, query } = await beginSignIn(service, provider, invitation)
  return { browser, answer: await browser.ask('POST', 'session/oidc', { body: { query } }) }
}
