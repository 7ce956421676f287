/** A call of the API, as somebody could make it without this page. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Behind `/api/v1`. */
  path: string
  body?: unknown
}

/** For a shell: in single quotes nothing is read but the quote itself. */
const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The call in curl, by a key in `$KEY`. */
export function toCurl({ method, path, body }: ApiCall, origin = location.origin): string {
  const url = `${origin}/api/v1${path}`
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuote(url)}`,
    '-H "Authorization: Bearer $KEY"',
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${shellQuote(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
}
