// cspell:ignore TRIMABLE
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
  /** Why it is malformed. Its cells are then those of its first line, as far as they are clear. */
  problem?: string
}

export interface ReadCsv {
  records: RecordAt[]
  /** Whether reading stopped after a malformed record. */
  isStopped: boolean
}

/**
 * Reads the records of a chunk of CSV (RFC 4180) in UTF-8. A quote in a cell that does not begin with one is text. Of a malformed
 * record, only the first line is one: the next line may begin the next record.
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
    // A quote that does not begin or end a cell is text, and so are spaces around quoted cells.
    relax_quotes: true,
    trim: true,
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
  if (error) {
    const problem = `The row ${REASONS[error.code] ?? 'is malformed'}`
    records.push(firstLineAt(chunk, { at: records.at(-1)?.end ?? 0, line: lines.counted, delimiter, problem }))
  }
  return { records, isStopped: error !== undefined }
}

/** The next line of a chunk that is not empty, as a malformed record. */
function firstLineAt(
  chunk: Buffer,
  { at, line: before, delimiter, problem }: { at: number; line: number; delimiter: string; problem: string },
): RecordAt {
  let line = before
  for (let begin = at; ;) {
    const found = chunk.indexOf('\n', begin)
    const end = found === -1 ? chunk.length : found + 1
    line += 1
    const text = chunk.toString('utf8', begin, end).trim()
    begin = end
    if (text === '' && found !== -1) continue
    const cells = text.slice(0, MAX_SHOWN).replaceAll('"', '').split(delimiter)
    return { cells, end, line, lastLine: line, problem }
  }
}

/** Characters of a malformed line that are kept. */
const MAX_SHOWN = 10_000

const STRAY_QUOTE = 'has a quote that is not closed, or text after a closing quote. Double the quotes that are text'
const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: STRAY_QUOTE,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: STRAY_QUOTE,
  CSV_MAX_RECORD_SIZE: `is longer than ${MAX_RECORD_BYTES} bytes. Most likely, a quote is not closed`,
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
