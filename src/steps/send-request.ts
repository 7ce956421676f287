import { requestPublic } from '../platform/public-request.ts'
import type { SendRequest } from './call-webhook.ts'
import { signedHeaders } from './signing-secret.ts'

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
