/** Parses a received message: headers unfolded (RFC 5322, section 2.2.3), with names in lower case. */
export function readMail({ headers, body }: { headers: string; body: string }): {
  headers: Partial<Record<string, string>>
  body: string
} {
  const lines = headers.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  return {
    headers: Object.fromEntries(
      lines.map((line) => {
        const at = line.indexOf(':')
        return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
      }),
    ),
    body,
  }
}
