import { parse } from 'csv-parse/browser/esm/sync'

/** So much of a file is looked at before it is brought: its header, and how it writes characters. */
const SAMPLE_BYTES = 64 * 1024
const DELIMITERS = [',', ';', '\t', '|']

/** What is known of a file before any of it is brought. */
export interface FileInspection {
  encoding: string
  /** The columns of its header; none where it cannot be read. */
  header: string[]
}

/** Looks at the beginning of a CSV file. */
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

/** UTF-16 says so at its beginning; what is no UTF-8 is what Windows writes. */
function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  try {
    // It may end in the middle of a character.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/** A file as bytes of UTF-8, some at a time: not all of it is in memory at once. */
export async function* utf8Of(file: File, encoding: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  const encoder = new TextEncoder()
  for (let from = 0; from < file.size; from += SAMPLE_BYTES) {
    const bytes = new Uint8Array(await file.slice(from, from + SAMPLE_BYTES).arrayBuffer())
    yield encoding === 'utf-8' ? bytes : encoder.encode(decoder.decode(bytes, { stream: true }))
  }
}
