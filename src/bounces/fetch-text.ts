import type { FetchText } from './providers/index.ts'

const TIMEOUT_MS = 5_000
/** A certificate has a few thousand bytes. */
const MAX_BYTES = 64 * 1024

/** Fetches a small text. Follows no redirects. */
export const fetchText: FetchText = async (url) => {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${url.host} responded with ${response.status}`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`${url.host} responded with more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
