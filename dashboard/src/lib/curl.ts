/** An API request that a curl command can repeat. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path after `/api/v1`. */
  path: string
  body?: unknown
}

/** Quotes for a shell. In single quotes, only the quote itself is special. */
const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Formats the request as a curl command with an API key in `$DRIPLINE_API_KEY`. */
export function toCurl({ method, path, body }: ApiCall, origin = location.origin): string {
  const url = `${origin}/api/v1${path}`
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuote(url)}`,
    '-H "Authorization: Bearer $DRIPLINE_API_KEY"',
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${shellQuote(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
}
