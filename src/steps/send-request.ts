import { requestPublic } from '../platform/public-request.ts'
import type { SendRequest } from './call-webhook.ts'

/** @param allowedHosts names and addresses in private networks that webhooks may reach */
export const createSendRequest =
  (allowedHosts: readonly string[]): SendRequest =>
  async ({ url, method, headers, body, id }) => {
    const response = await requestPublic(
      {
        url,
        method,
        headers: {
          'User-Agent': 'Dripline',
          Accept: 'application/json',
          ...(body !== null && { 'Content-Type': 'application/json' }),
          ...headers,
          'Idempotency-Key': id,
        },
        body,
      },
      allowedHosts,
    )
    return 'problem' in response ? response : { status: response.status, json: parse(response.text) }
  }

function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
