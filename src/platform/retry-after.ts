/** Reads the header Retry-After (RFC 9110, section 10.2.3). @returns milliseconds; 0 if it is missing or invalid */
export function readRetryAfter(text: string | null, now: Date): number {
  if (text === null) return 0
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime())
}
