const SEND_AGAIN = 'Nothing was done. Send the request again after a moment.'
const SEND_AGAIN_WITH_KEY =
  'The request may have been processed. Send it again with the same Idempotency-Key, so that it takes effect once.'

/** Advice about an error, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_request: 'A value in the body or the query is invalid. The response explains what is valid.',
  malformed_json: 'The body is not JSON. Build it with a JSON library.',
  body_not_an_object: 'Send a JSON object as the body.',
  body_too_large: 'Send less data in one request.',
  wrong_content_type: 'Send the header Content-Type: application/json.',
  unknown_parameter: 'The operation has no query parameter of this name. Check its spelling, or remove it.',
  nothing_to_update: 'Send at least one field that can be changed.',
  invalid_idempotency_key: 'Use 1 to 255 visible ASCII characters, such as a UUID.',
  idempotency_key_in_progress: 'The first request is still in progress. Wait for its response.',
  idempotency_key_reused: 'Another request used this Idempotency-Key in the last 24 hours. Use a new one.',
  scope_missing: 'The API key lacks the scope that the response names. Create a key with it: scopes never change.',
  people_only: 'API keys can’t do this. A member can, in the dashboard.',
  path_not_found: 'Check the path. All paths of the API start with /api/v1.',
  method_not_allowed: 'Check the method. The header Allow of the response lists the methods of the path.',
  revision_conflict: 'The resource was changed in the meantime. Read it again, and repeat your change.',
  rate_limited: 'Wait for the seconds in the header Retry-After, or raise the rate limit of the API key.',
  contact_left_list: 'The contact left the list. Pass "resubscribe": true only if they asked to rejoin.',
  too_expensive: 'The condition takes too long to evaluate. Simplify it.',
  internal_error: 'Send the request again. If it fails again, report the request ID to the operator.',
  outcome_unknown: SEND_AGAIN_WITH_KEY,
  database_unavailable: SEND_AGAIN_WITH_KEY,
  temporal_unavailable: SEND_AGAIN_WITH_KEY,
}

/** Explains what to do about an error. */
export function adviceFor(status: number, code: string | null): string {
  const known = code === null ? undefined : ADVICE[code]
  if (known !== undefined) return known
  if (status === 404) return 'The resource does not exist in this workspace, or it was deleted. Check the ID.'
  return status >= 500 ? SEND_AGAIN : 'The response explains what is wrong.'
}
