/** The error of a failed request. If there was no response, it has no status. */
export class DriplineError extends Error {
  override readonly name = 'DriplineError'
  /** Status of the last response; `undefined` if there was none. */
  readonly status: number | undefined
  /**
   * Code for programs, such as `contact_not_found`; `timeout` or `network_error` if there was no response, and `no_json` if
   * another server responded.
   */
  readonly code: string
  /** JSON pointer to the invalid value in the request, such as `/steps/0/html`. */
  readonly param: string | undefined
  /** ID that finds the request in the service's log. */
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

/** Creates the error for an unsuccessful response. A proxy before the service may respond with its own text. */
export async function errorOf(response: Response): Promise<DriplineError> {
  const { status, headers } = response
  const text = await response.text().catch(() => '')
  return new DriplineError(messageIn(text) ?? `The service returned ${status}`, {
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
