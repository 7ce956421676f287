import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'

/**
 * Character encoding of a file: UTF-8, UTF-16 if it has that byte order mark, otherwise windows-1252, which Excel writes in
 * Western countries.
 */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** Detects the encoding. Text in another encoding is hardly ever valid UTF-8 by chance (RFC 3629, section 1). */
export async function encodingOf(path: string): Promise<Encoding> {
  const marks = Buffer.alloc(2)
  const file = await open(path)
  try {
    await file.read(marks, 0, 2, 0)
  } finally {
    await file.close()
  }
  if (marks[0] === 0xff && marks[1] === 0xfe) return 'utf-16le'
  if (marks[0] === 0xfe && marks[1] === 0xff) return 'utf-16be'
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(path)) decoder.decode(chunk as Buffer, { stream: true })
    decoder.decode()
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

export const sizeOf = async (path: string): Promise<number> => (await stat(path)).size

/** Reads a file as UTF-8 from a byte position of its UTF-8 form. */
export async function* utf8From(path: string, encoding: Encoding, position: number): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    for await (const chunk of createReadStream(path, { start: position })) yield chunk as Buffer
    return
  }
  // The corresponding position in the file can only be found by reading it.
  let at = 0
  const decoder = new TextDecoder(encoding)
  const fromPosition = (text: string): Buffer => {
    const bytes = Buffer.from(text)
    const skipped = Math.min(Math.max(position - at, 0), bytes.length)
    at += bytes.length
    return bytes.subarray(skipped)
  }
  for await (const chunk of createReadStream(path))
    yield fromPosition(decoder.decode(chunk as Buffer, { stream: true }))
  yield fromPosition(decoder.decode())
}
