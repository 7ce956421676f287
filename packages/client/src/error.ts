/** Why a request failed. One that was never answered has no status. */
export class DriplineError extends Error {
  override readonly name = 'DriplineError'
  /** Of the last answer; `undefined` where there was none. */
  readonly status: number | undefined
  /** What programs go by, such as `contact_not_found`; `timeout` or `network_error` where there was no answer, and `no_json` where it was another server's. */
  readonly code: string
  /** Where it is, of what was sent: a JSON pointer, such as `/steps/0/html`. */
  readonly param: string | undefined
  /** Finds the request in the service's log. */
  readonly requestId: string | undefined

  constructor(
    message: string,
    about: {
      status?: number | undefined
      code: string
      param?: string | undefined
      requestId?: string | undefined
      cause?: unknown
    },
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause })
    this.status = about.status
    this.code = about.code
    this.param = about.param
    this.requestId = about.requestId
  }
}

/** What an answer says that is none of success. A proxy before the service may answer in words of its own. */
export async function errorOf(response: Response): Promise<DriplineError> {
  const { status, headers } = response
  const text = await response.text().catch(() => '')
  return new DriplineError(messageIn(text) ?? `The service answered ${status}`, {
    status,
    code: headers.get('x-error-code') ?? `http_${status}`,
    param: headers.get('x-error-param') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
  })
}

function messageIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}
