import { type CsvError, type Info, parse } from 'csv-parse'

/** No record is longer, in bytes: a quote that never closes would make one of all the rest. */
export const MAX_RECORD_BYTES = 128 * 1024

export interface RecordAt {
  cells: string[]
  /** Behind it, in bytes of what is read. */
  end: number
  /** On which line it begins and ends, counted from 1. A line break within a cell counts. */
  line: number
  lastLine: number
}

export interface ReadCsv {
  records: RecordAt[]
  /** What is wrong with the record behind these, and on which line it begins: what follows cannot be told from it. */
  broken: { line: number; words: string } | undefined
}

/**
 * Reads the records of a piece of CSV (RFC 4180), in UTF-8.
 *
 * @param isLast whether nothing follows: else what has no end yet is left for the next piece
 * @param most so many records are read at most
 */
export async function readCsv(
  piece: Buffer,
  { delimiter, isLast, most }: { delimiter: string; isLast: boolean; most: number },
): Promise<ReadCsv> {
  const records: RecordAt[] = []
  const lines = { mine: 0, parsers: 0, empty: 0 }
  const parser = parse({
    info: true,
    delimiter,
    // The longest first: a file that somebody has put together has several.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
  })
  let isEnough: () => void = () => undefined
  const enough = new Promise<undefined>((done) => (isEnough = () => done(undefined)))
  parser.on('data', ({ record, info }: { record: string[]; info: Info }) => {
    if (records.length === most) return isEnough()
    const line = lines.mine + 1 + info.empty_lines - lines.empty
    // The parser takes CRLF within a cell for two lines.
    const within = info.lines - lines.parsers > 1 ? record.join('').match(/\r\n?|\n/g) : null
    lines.mine = line + (within?.length ?? 0)
    lines.parsers = info.lines
    lines.empty = info.empty_lines
    records.push({ cells: record, end: info.bytes, line, lastLine: lines.mine })
  })
  const failed = new Promise<CsvError>((done) => parser.once('error', (error) => done(error as CsvError)))
  const ended = new Promise<undefined>((done) => parser.once('end', () => done(undefined)))
  parser.write(piece, (error) => {
    if (error) return
    if (isLast) parser.end()
    // What has an end was told before; what has none is not told.
    else setImmediate(isEnough)
  })
  const error = await Promise.race([failed, ended, enough])
  parser.destroy()
  return {
    records,
    broken: error && { line: lines.mine + 1, words: WORDS[error.code] ?? 'is broken' },
  }
}

const WORDS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that never closes',
  CSV_MAX_RECORD_SIZE: `is longer than ${MAX_RECORD_BYTES} bytes: most likely a quote in it never closes`,
  CSV_INVALID_CLOSING_QUOTE: 'has a quote that does not end its cell: within one, quotes are doubled',
  INVALID_OPENING_QUOTE:
    'has a quote in the middle of a cell: such a cell begins with one, and those within it are doubled',
}

const DELIMITERS = [',', ';', '\t', '|'] as const

/** What separates the cells of a header: what stands in it most often, outside of quotes. */
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
