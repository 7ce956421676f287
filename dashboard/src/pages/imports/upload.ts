import { type Api, DriplineError, isTransient, hasErrorCode, type Schemas, DisplayableError } from '../../api/client.ts'
import { utf8Of } from './inspect-file.ts'

type Import = Schemas['Import']

const CHUNK_BYTES = 512 * 1024
const MAX_ATTEMPTS = 8

/**
 * Uploads a file in chunks, from the current position of its import, so that an interrupted upload can resume.
 *
 * @param tell called after every chunk
 * @returns the draft
 */
export async function uploadImport(
  api: Api,
  file: File,
  encoding: string,
  begun: Import,
  { tell, signal }: { tell: (now: Import) => void; signal: AbortSignal },
): Promise<Import> {
  let found = begun
  let toSkip = begun.position
  let waiting = new Uint8Array(0)
  const send = async (piece: Uint8Array<ArrayBuffer>, isLast: boolean) => {
    signal.throwIfAborted()
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(piece)
    found = await sendChunk(api, found.id, { position: found.position, text, isLast }, signal)
    tell(found)
  }
  for await (const chunk of utf8Of(file, encoding)) {
    const skipped = Math.min(toSkip, chunk.length)
    toSkip -= skipped
    waiting = concat(waiting, chunk.subarray(skipped))
    if (waiting.length < CHUNK_BYTES) continue
    const end = chunkEnd(waiting)
    await send(waiting.subarray(0, end), false)
    waiting = waiting.slice(end)
  }
  if (toSkip > 0) throw new DisplayableError('This isn’t the file that the import started with.')
  if (found.status === 'UPLOADING') await send(waiting, true)
  return found
}

/** Sends a chunk with retries. If an earlier response was lost, the import's position shows whether it was stored. */
async function sendChunk(api: Api, id: string, body: Schemas['ImportChunk'], signal: AbortSignal): Promise<Import> {
  const params = { path: { id } }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await api.POST('/imports/{id}/chunks', { params, body, signal })).data.data
    } catch (error) {
      if (attempt > 1 && hasErrorCode(error, 'import_position_mismatch', 'import_uploaded'))
        return (await api.GET('/imports/{id}', { params, signal })).data.data
      if (!(error instanceof DriplineError) || !isTransient(error) || attempt >= MAX_ATTEMPTS) throw error
      await new Promise((resolve) => setTimeout(resolve, attempt * 1_000))
      signal.throwIfAborted()
    }
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** Finds the end of a chunk without splitting a UTF-8 character. */
function chunkEnd(bytes: Uint8Array): number {
  let end = bytes.length
  // At most three bytes continue a character.
  while (end > bytes.length - 3 && (bytes[end - 1]! & 0xc0) === 0x80) end -= 1
  return (bytes[end - 1]! & 0xc0) === 0xc0 ? end - 1 : bytes.length
}
