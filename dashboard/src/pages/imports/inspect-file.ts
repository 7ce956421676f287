import { parse } from 'csv-parse/browser/esm/sync'

/** Bytes read to detect header and encoding. */
const SAMPLE_BYTES = 64 * 1024
const DELIMITERS = [',', ';', '\t', '|']

export interface FileInspection {
  encoding: string
  /** The columns; empty if the header cannot be parsed. */
  header: string[]
}

/** Detects the encoding and header of a CSV file. */
export async function inspectFile(file: File): Promise<FileInspection> {
  const bytes = new Uint8Array(await file.slice(0, SAMPLE_BYTES).arrayBuffer())
  const encoding = encodingOf(bytes)
  const text = new TextDecoder(encoding).decode(bytes)
  const read = DELIMITERS.map((delimiter) => headerOf(text, delimiter))
  return { encoding, header: read.reduce((most, each) => (each.length > most.length ? each : most), []) }
}

function headerOf(text: string, delimiter: string): string[] {
  try {
    const [header = []] = parse(text, {
      delimiter,
      to: 1,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    })
    return header
  } catch {
    return []
  }
}

/** Detects UTF-16 by its byte order mark. Anything that is not valid UTF-8 is taken as windows-1252. */
function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  try {
    // The sample may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/** Streams a file as UTF-8, without loading all of it into memory. */
export async function* utf8Of(file: File, encoding: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  const encoder = new TextEncoder()
  for (let from = 0; from < file.size; from += SAMPLE_BYTES) {
    const bytes = new Uint8Array(await file.slice(from, from + SAMPLE_BYTES).arrayBuffer())
    yield encoding === 'utf-8' ? bytes : encoder.encode(decoder.decode(bytes, { stream: true }))
  }
}
