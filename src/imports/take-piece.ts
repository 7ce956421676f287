import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkContact, upsertManyContacts } from '../contacts/index.ts'
import { suppressMany } from '../consent/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { Call } from '../platform/call.ts'
import { AS_IT_IS, unitOf } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import { isId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { Import } from './entities.ts'
import { FileProblem, FORMATS, type Row, RowProblem } from './formats/index.ts'
import { insertErrors, lockImport, type RowError } from './queries.ts'
import { delimiterOf, readCsv, type RecordAt } from './read-csv.ts'
import { IMPORT_ELSEWHERE, IMPORT_ENDED, IMPORT_NOT_FOUND, WRONG_HEADER } from './refusals.ts'

export interface Piece {
  /** Where in the file it begins, in bytes of UTF-8. */
  position: number
  /** UTF-8. */
  bytes: Buffer
  /** Whether nothing follows. */
  isLast: boolean
}

/** So many rows are written in one transaction; and so many, where each can start something. */
const MOST_ROWS = 20_000
const MOST_STARTING_ROWS = 1_000
/** How long rows are looked at before others get their turn, in milliseconds. */
const TURN_MS = 10
const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const MOST_PROBLEM = 300

/**
 * Reads a piece of a file, and writes its contacts, who has opted out, what was wrong, and how far it has come, in one transaction: whatever
 * crashes, a piece is done or is not, and whoever goes on where the import says does no row twice. What has no end yet is left for the
 * next piece.
 *
 * @returns the import as it is behind it
 * @throws {Refusal} `import_not_found`; `import_ended`; `import_elsewhere` where the piece is not the next one; `wrong_header`
 */
export async function takePiece(
  dependencies: Pick<Dependencies, 'em'>,
  workspaceId: string,
  id: string,
  piece: Piece,
  call: Call,
): Promise<Import> {
  return unitOf(dependencies.em).transactional(async (unit) => {
    if (!isId(id) || !(await lockImport(unit, workspaceId, id))) throw new Refusal(IMPORT_NOT_FOUND)
    const found = await unit.findOneOrFail(Import, { id }, { refresh: true })
    if (found.status !== 'RUNNING') throw new Refusal(IMPORT_ENDED)
    if (found.position !== piece.position)
      throw new Refusal(IMPORT_ELSEWHERE, {
        message: `${IMPORT_ELSEWHERE.message}: ${found.position}, and not ${piece.position}`,
        param: '/position',
      })
    const read = await readRecords(found, piece)
    const rows = await readRows(found, read.records, read.header)
    const written = await writeRows({ em: unit }, found, rows.rows, call)
    const errors = [...rows.errors, ...written.errors]
    await insertErrors(unit, id, errors)
    Object.assign(found, {
      ...read.place,
      created: found.created + written.created,
      updated: found.updated + written.updated,
      suppressed: found.suppressed + written.suppressed,
      failed: found.failed + errors.length,
      updatedAt: new Date(),
    })
    if (found.status !== 'RUNNING') found.finishedAt = new Date()
    await unit.flush()
    return unit.findOneOrFail(Import, { id }, AS_IT_IS)
  })
}

interface Read {
  header: string[] | undefined
  records: RecordAt[]
  place: Pick<Import, 'position' | 'line' | 'status' | 'delimiter' | 'header' | 'problem'>
}

async function readRecords(found: Import, { bytes, position, isLast }: Piece): Promise<Read> {
  const isFirst = position === 0
  const skipped = isFirst && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0
  const text = bytes.subarray(skipped)
  const delimiter = found.delimiter ?? delimiterOf(text.subarray(0, 64 * 1024).toString('utf8'))
  const most = found.options.triggers ? MOST_STARTING_ROWS : MOST_ROWS
  const { records, broken } = await readCsv(text, { delimiter, isLast, most })
  const last = records.at(-1)
  const isWhole = isLast && !broken && records.length < most
  const header = found.header ?? records[0]?.cells
  const place: Read['place'] = {
    position: isWhole ? position + bytes.length : last ? position + skipped + last.end : position,
    line: found.line + (last?.lastLine ?? 0),
    status: broken ? 'FAILED' : isWhole ? 'DONE' : 'RUNNING',
    // A file without a header has no rows.
    delimiter: header === undefined ? null : delimiter,
    header: header ?? null,
    problem: broken ? `The record that begins on line ${found.line + broken.line} ${broken.words}` : null,
  }
  return { header, records: found.header === null || found.header === undefined ? records.slice(1) : records, place }
}

interface ReadRow extends Row {
  line: number
}

/** Reads records as contacts; those that cannot be fail alone. @throws {Refusal} `wrong_header` */
async function readRows(
  { line: before, format, options }: Import,
  records: readonly RecordAt[],
  header: readonly string[] | undefined,
): Promise<{ rows: ReadRow[]; errors: RowError[] }> {
  const rows: ReadRow[] = []
  const errors: RowError[] = []
  if (!header) return { rows, errors }
  const readRow = readHeader(format, header, options)
  let turn = performance.now()
  for (const { cells, line: within } of records) {
    if (performance.now() - turn > TURN_MS) {
      await nextTurn()
      turn = performance.now()
    }
    const line = before + within
    try {
      if (cells.length !== header.length)
        throw new RowProblem(`It has ${cells.length} cells, and the header has ${header.length}`)
      const { contact, optOut } = readRow(cells.map((cell) => cell.trim()))
      const tags = [...(contact.tags ?? []), ...options.tags]
      const checked = checkContact({ ...stated(contact), ...(tags.length > 0 && { tags }) })
      // Whoever wants no mail joins no list.
      const listId = optOut === null && options.listId !== null ? options.listId : undefined
      rows.push({ contact: { ...checked, ...(listId !== undefined && { listId }) }, optOut, line })
    } catch (error) {
      if (!(error instanceof RowProblem) && !(error instanceof Refusal)) throw error
      errors.push({ line, problem: error.message.slice(0, MOST_PROBLEM) })
    }
  }
  return { rows, errors }
}

function readHeader(format: Import['format'], header: readonly string[], options: Import['options']) {
  try {
    return FORMATS[format].readHeader(header, options)
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error
    throw new Refusal(WRONG_HEADER, { message: error.message })
  }
}

/** Without what is not said. */
const stated = (contact: Row['contact']): object =>
  Object.fromEntries(Object.entries(contact).filter(([, value]) => value !== undefined))

async function writeRows(
  dependencies: Pick<Dependencies, 'em'>,
  { workspaceId, options: { triggers } }: Import,
  rows: readonly ReadRow[],
  call: Call,
): Promise<{ created: number; updated: number; suppressed: number; errors: RowError[] }> {
  const done = { created: 0, updated: 0, suppressed: 0, errors: [] as RowError[] }
  const write = async (some: readonly ReadRow[], starts: boolean) => {
    if (some.length === 0) return
    const inputs = some.map(({ contact, line }) => ({ index: line, input: contact }))
    const written = await upsertManyContacts(dependencies, workspaceId, { inputs, triggers: starts }, call)
    done.created += written.created
    done.updated += written.updated
    done.errors.push(
      ...written.errors.map(({ index, error }) => ({ line: index, problem: error.slice(0, MOST_PROBLEM) })),
    )
  }
  for (const round of roundsOf(rows)) {
    const out = round.filter(({ optOut }) => optOut !== null)
    // Who wants no mail begins nothing.
    if (triggers) await write(out, false)
    else await write(round, false)
    // Also of a contact that could not be written: she has opted out all the same.
    const suppressions = out.map(({ contact: { email }, optOut }) => ({ email, ...optOut! }))
    if (out.length > 0) done.suppressed += await suppressMany(dependencies.em, workspaceId, suppressions)
    if (triggers)
      await write(
        round.filter(({ optOut }) => optOut === null),
        true,
      )
  }
  return done
}

/** Of one address several rows may tell: each is written behind the one before, and none is lost. */
function roundsOf(rows: readonly ReadRow[]): ReadRow[][] {
  const rounds: ReadRow[][] = []
  const seen = new Map<string, number>()
  for (const row of rows) {
    const key = emailKey(row.contact.email)
    const round = seen.get(key) ?? 0
    seen.set(key, round + 1)
    ;(rounds[round] ??= []).push(row)
  }
  return rounds
}
