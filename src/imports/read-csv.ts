import { type CsvError, type Info, parse } from 'csv-parse'

/** Maximum length of a record. An unclosed quote would otherwise turn the rest of the file into one record. */
export const MAX_RECORD_BYTES = 128 * 1024

interface RecordAt {
  cells: string[]
  /** Offset after the record, in bytes. */
  end: number
  /** First line of the record, from 1. Line breaks within cells count. */
  line: number
  lastLine: number
}

export interface ReadCsv {
  records: RecordAt[]
  /** The malformed record after these, and its first line. Nothing after it can be parsed. */
  broken: { line: number; reason: string } | undefined
}

/**
 * Reads the records of a chunk of CSV (RFC 4180) in UTF-8.
 *
 * @param isLast whether this is the end of the file. If not, an incomplete last record is left for the next chunk.
 * @param most maximum number of records
 */
export async function readCsv(
  chunk: Buffer,
  { delimiter, isLast, most }: { delimiter: string; isLast: boolean; most: number },
): Promise<ReadCsv> {
  const records: RecordAt[] = []
  const lines = { counted: 0, byParser: 0, empty: 0 }
  const parser = parse({
    info: true,
    delimiter,
    // Longest first: a concatenated file may mix several.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
  })
  let isEnough: () => void = () => undefined
  const enough = new Promise<undefined>((done) => (isEnough = () => done(undefined)))
  parser.on('data', ({ record, info }: { record: string[]; info: Info }) => {
    if (records.length === most) return isEnough()
    const line = lines.counted + 1 + info.empty_lines - lines.empty
    // The parser counts a CRLF within a cell as two lines.
    const within = info.lines - lines.byParser > 1 ? record.join('').match(/\r\n?|\n/g) : null
    lines.counted = line + (within?.length ?? 0)
    lines.byParser = info.lines
    lines.empty = info.empty_lines
    records.push({ cells: record, end: info.bytes, line, lastLine: lines.counted })
  })
  const failed = new Promise<CsvError>((done) => parser.once('error', (error) => done(error as CsvError)))
  const ended = new Promise<undefined>((done) => parser.once('end', () => done(undefined)))
  parser.write(chunk, (error) => {
    if (error) return
    if (isLast) parser.end()
    // The parser has emitted all complete records by now.
    else setImmediate(isEnough)
  })
  const error = await Promise.race([failed, ended, enough])
  parser.destroy()
  return {
    records,
    broken: error && { line: lines.counted + 1, reason: REASONS[error.code] ?? 'is malformed' },
  }
}

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has an unclosed quote',
  CSV_MAX_RECORD_SIZE: `is longer than ${MAX_RECORD_BYTES} bytes. Most likely it has an unclosed quote.`,
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote. Double the quotes within a quoted cell.',
  INVALID_OPENING_QUOTE: 'has a quote in the middle of a cell. Quote the whole cell and double the quotes within it.',
}

const DELIMITERS = [',', ';', '\t', '|'] as const

/** Detects the delimiter: the most frequent candidate in the header, outside of quotes. */
export function delimiterOf(text: string): string {
  const counts = new Map<string, number>()
  let isQuoted = false
  for (const mark of text) {
    if (mark === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (mark === '\n' || mark === '\r') break
    else counts.set(mark, (counts.get(mark) ?? 0) + 1)
  }
  return DELIMITERS.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))[0] ?? ','
}
