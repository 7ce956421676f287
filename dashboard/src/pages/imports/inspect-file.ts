/** Bytes read at once. */
const PART_BYTES = 64 * 1024

/** Detects UTF-16 by its byte order mark. Anything that is not valid UTF-8 is taken as windows-1252. */
export async function encodingOf(file: File): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (let from = 0; from < file.size; from += PART_BYTES)
      decoder.decode(await file.slice(from, from + PART_BYTES).arrayBuffer(), { stream: true })
    decoder.decode()
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/** Streams a file as UTF-8, without loading all of it into memory. */
export async function* utf8Of(file: File, encoding: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  const encoder = new TextEncoder()
  for (let from = 0; from < file.size; from += PART_BYTES) {
    const bytes = new Uint8Array(await file.slice(from, from + PART_BYTES).arrayBuffer())
    yield encoding === 'utf-8' ? bytes : encoder.encode(decoder.decode(bytes, { stream: true }))
  }
}
