import { type Api, DriplineError, isTransient, hasErrorCode, type Schemas, DisplayableError } from '../../api/client.ts'
import { utf8Of } from './inspect-file.ts'

type Import = Schemas['Import']

/** The size of a chunk. A row that is longer is sent in a chunk of the maximum size. */
const CHUNK_BYTES = 256 * 1024
const MAX_CHUNK_BYTES = 1024 * 1024
const MAX_ATTEMPTS = 8

/**
 * Uploads a file in chunks, from the current position of its import, so that an interrupted import can resume. No row is imported twice.
 *
 * @param tell called after every chunk
 * @returns the finished import
 */
export async function uploadImport(
  api: Api,
  file: File,
  encoding: string,
  begun: Import,
  { tell, signal }: { tell: (now: Import) => void; signal: AbortSignal },
): Promise<Import> {
  const source = utf8Of(file, encoding)
  let found = begun
  let waiting = new Uint8Array(0)
  let toSkip = begun.position
  let isAll = false
  const fill = async (least: number) => {
    const chunks = [waiting]
    let length = waiting.length
    while (!isAll && length < least) {
      const next = await source.next()
      if (next.done) {
        isAll = true
        break
      }
      const chunk = next.value
      const skipped = Math.min(toSkip, chunk.length)
      toSkip -= skipped
      chunks.push(chunk.subarray(skipped))
      length += chunk.length - skipped
    }
    waiting = concat(chunks)
  }
  let least = CHUNK_BYTES
  while (found.status === 'RUNNING') {
    signal.throwIfAborted()
    await fill(least)
    if (toSkip > 0) throw new DisplayableError('This isn’t the file that the import started with.')
    const piece = waiting.subarray(0, chunkEnd(waiting, isAll ? MAX_CHUNK_BYTES : least))
    const body = {
      position: found.position,
      text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(piece),
      isLast: isAll && piece.length === waiting.length,
    }
    const next = await sendChunk(api, found.id, body, signal)
    const forward = next.position - found.position
    if (forward > waiting.length) throw new DisplayableError('This file is being imported in another window.')
    waiting = waiting.slice(forward)
    if (forward === 0 && next.status === 'RUNNING') {
      if (least === MAX_CHUNK_BYTES) throw new DisplayableError('A row is too long. Check for an unclosed quote.')
      least = MAX_CHUNK_BYTES
    } else least = CHUNK_BYTES
    found = next
    tell(found)
  }
  return found
}

/** Sends a chunk with retries. If an earlier response was lost, the import's position shows whether it was applied. */
async function sendChunk(api: Api, id: string, body: Schemas['ImportChunk'], signal: AbortSignal): Promise<Import> {
  const params = { path: { id } }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await api.POST('/imports/{id}/chunks', { params, body, signal })).data.data
    } catch (error) {
      if (hasErrorCode(error, 'import_position_mismatch', 'import_ended'))
        return (await api.GET('/imports/{id}', { params, signal })).data.data
      if (!(error instanceof DriplineError) || !isTransient(error) || attempt >= MAX_ATTEMPTS) throw error
      await new Promise((resolve) => setTimeout(resolve, attempt * 1_000))
      signal.throwIfAborted()
    }
  }
}

function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

/** Finds the end of a chunk without splitting a UTF-8 character. */
function chunkEnd(bytes: Uint8Array, most: number): number {
  if (bytes.length <= most) return bytes.length
  let end = most
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1
  return end
}
