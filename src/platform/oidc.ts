import * as client from 'openid-client'

export interface OidcSettings {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  /** What its button says. */
  name: string
}

/** Whom another service has signed in. */
export interface Claims {
  issuer: string
  /** By which it knows them for good. */
  subject: string
  /** `undefined` where it has not verified one. */
  email: string | undefined
}

/** How long the other service may take for an answer, in seconds. */
const PATIENCE = 10

/**
 * Signing in by another service: OpenID Connect Core 1.0, section 3.1, with PKCE (RFC 7636). It is asked for what it can when somebody
 * signs in first: it need not be there when this one starts.
 */
export function createOidc({ issuer, clientId, clientSecret, name }: OidcSettings) {
  let found: Promise<client.Configuration> | undefined
  const configuration = (): Promise<client.Configuration> => {
    found ??= client
      .discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: PATIENCE,
        // Without TLS on one machine alone.
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

    /** Begins. @returns what has to be kept, and where to send the browser. @throws {Error} where the other service does not answer */
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

    /** @param query of the address to which the browser came back @throws {Error} where it is not what the other service said */
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
      const { iss, sub, ...told } = tokens.claims()!
      // Section 5.4: an email may be told of in the token, or there alone.
      const { email, email_verified: isVerified } =
        told['email'] === undefined ? await client.fetchUserInfo(configured, tokens.access_token, sub) : told
      return { issuer: iss, subject: sub, email: typeof email === 'string' && isVerified === true ? email : undefined }
    },
  }
}

export type Oidc = ReturnType<typeof createOidc>

const isOfThisMachine = (issuer: string): boolean => /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(issuer)
