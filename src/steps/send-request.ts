import { requestPublic } from '../platform/public-request.ts'
import { signedHeaders } from '../platform/webhook-signature.ts'

/** An HTTP request of a webhook. */
export interface WebhookRequest {
  url: string
  method: string
  headers: Record<string, string>
  /** The JSON body as text; `null` for none. */
  body: string | null
  /** Identifies the request. It is the same for each attempt. */
  id: string
  /** The secrets that sign the request; none if the instance has no SECRETS_KEY. */
  secrets: readonly string[]
  /** Whether the body of the response is needed. */
  readsBody: boolean
}

export type WebhookResponse =
  /** A response. `text` is its body; `null` if it is larger than the limit or not needed. */
  | { status: number; retryAfter: string | null; text: string | null }
  /** No response. The text has no data of the contact. */
  | { problem: string; isPermanent: boolean }

export type SendRequest = (request: WebhookRequest) => Promise<WebhookResponse>

/** @param allowedHosts names and addresses in private networks that webhooks may reach */
export const createSendRequest =
  (allowedHosts: readonly string[]): SendRequest =>
  ({ url, method, headers, body, id, secrets, readsBody }) =>
    requestPublic(
      {
        url,
        method,
        headers: {
          'User-Agent': 'Dripline',
          Accept: 'application/json',
          ...(body !== null && { 'Content-Type': 'application/json' }),
          ...headers,
          ...signedHeaders(secrets, { id, at: new Date(), body: body ?? '' }),
          'Idempotency-Key': id,
        },
        body,
        readsBody,
      },
      { allowedHosts },
    )
