import * as client from 'openid-client'

export interface OidcSettings {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  /** The label of its sign-in button. */
  name: string
}

/** The identity that a provider asserts. */
export interface Claims {
  issuer: string
  /** The permanent identifier at the provider. */
  subject: string
  /** `undefined` if the provider has not verified an address. */
  email: string | undefined
}

/** Seconds to wait for a response of the provider. */
const TIMEOUT_SECONDS = 10

/**
 * Single sign-on: OpenID Connect Core 1.0, section 3.1, with PKCE (RFC 7636). The provider's metadata is loaded on the first
 * sign-in, so the provider need not be available when this process starts.
 */
export function createOidc({ issuer, clientId, clientSecret, name }: OidcSettings) {
  let found: Promise<client.Configuration> | undefined
  const configuration = (): Promise<client.Configuration> => {
    found ??= client
      .discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: TIMEOUT_SECONDS,
        // Allow plain HTTP only on the same machine.
        execute: isOfThisMachine(issuer) ? [client.allowInsecureRequests] : [],
      })
      .catch((error: unknown) => {
        found = undefined
        throw error
      })
    return found
  }

  return {
    name,

    /**
     * Starts a sign-in. @returns the state to keep, and the URL for the browser. @throws {Error} if the provider does not respond
     */
    async begin(redirectUri: string) {
      const configured = await configuration()
      const verifier = client.randomPKCECodeVerifier()
      const nonce = client.randomNonce()
      const challenge = await client.calculatePKCECodeChallenge(verifier)
      return {
        verifier,
        nonce,
        urlWith: (state: string): string =>
          client.buildAuthorizationUrl(configured, {
            redirect_uri: redirectUri,
            scope: 'openid email',
            code_challenge: challenge,
            code_challenge_method: 'S256',
            state,
            nonce,
          }).href,
      }
    },

    /**
     * Completes a sign-in.
     * @param query the query of the URL that the browser was redirected to
     * @throws {Error} if it does not match the provider's response
     */
    async finish(
      query: string,
      { redirectUri, state, verifier, nonce }: Record<'redirectUri' | 'state' | 'verifier' | 'nonce', string>,
    ): Promise<Claims> {
      const at = new URL(redirectUri)
      at.search = query
      const configured = await configuration()
      const tokens = await client.authorizationCodeGrant(configured, at, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      })
      const { iss, sub, ...claims } = tokens.claims()!
      // Section 5.4: the email address may be in the token, or only in the user info.
      const { email, email_verified: isVerified } =
        claims['email'] === undefined ? await client.fetchUserInfo(configured, tokens.access_token, sub) : claims
      return { issuer: iss, subject: sub, email: typeof email === 'string' && isVerified === true ? email : undefined }
    },
  }
}

export type Oidc = ReturnType<typeof createOidc>

const isOfThisMachine = (issuer: string): boolean => /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(issuer)
