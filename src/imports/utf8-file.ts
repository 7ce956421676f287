import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'

/** How a file writes characters: UTF-8; UTF-16 where its byte order mark says so; else what Excel writes in the west. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** Finds how a file writes characters. What is UTF-8 by accident alone is hardly ever anything else (RFC 3629, section 1). */
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

/** Reads a file as bytes of UTF-8, from a position in these on. */
export async function* utf8From(path: string, encoding: Encoding, position: number): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    for await (const chunk of createReadStream(path, { start: position })) yield chunk as Buffer
    return
  }
  // Where that is in the file, only reading it tells.
  let at = 0
  const decoder = new TextDecoder(encoding)
  const behind = (text: string): Buffer => {
    const bytes = Buffer.from(text)
    const skipped = Math.min(Math.max(position - at, 0), bytes.length)
    at += bytes.length
    return bytes.subarray(skipped)
  }
  for await (const chunk of createReadStream(path)) yield behind(decoder.decode(chunk as Buffer, { stream: true }))
  yield behind(decoder.decode())
}
