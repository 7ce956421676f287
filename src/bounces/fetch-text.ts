import type { FetchText } from './providers/index.ts'

const PATIENCE_MS = 5_000
/** A certificate has some thousand. */
const MAX_BYTES = 64 * 1024

/** Fetches what is small, over HTTPS, from where it is asked and nowhere else. */
export const fetchText: FetchText = async (url) => {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) })
  if (!answer.ok) throw new Error(`${url.host} answered ${answer.status}`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`${url.host} answered with more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
