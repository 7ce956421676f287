import { setImmediate as nextTurn } from 'node:timers/promises'
import { addressesByExternalId, checkContact, type ContactInput, upsertManyContacts } from '../contacts/index.ts'
import {
  afterSuppressingMany,
  countActiveOf,
  type SuppressedMany,
  type SuppressionInput,
  suppressMany,
} from '../consent/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { whenDurable, type Call } from '../platform/call.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { emailKey, isEmailAddress } from '../platform/email-address.ts'
import { firstLines } from '../platform/first-lines.ts'
import { isId } from '../platform/ids.ts'
import { findJsonFault } from '../platform/json.ts'
import { ApiError } from '../platform/api-error.ts'
import { Import } from './entities.ts'
import { addressIn, type OptOut, type Row, RowProblem, UnclearRow } from './formats/index.ts'
import { insertErrors, lockImport, type RowError } from './queries.ts'
import { assertNoJson, readHeader } from './read-header.ts'
import { delimiterOf, type ReadCsv, readCsv } from './read-csv.ts'
import { IMPORT_POSITION_MISMATCH, IMPORT_ENDED, IMPORT_NOT_FOUND } from './errors.ts'

export interface Piece {
  /** Where in the file it begins, in bytes of UTF-8. */
  position: number
  /** UTF-8. */
  bytes: Buffer
  /** Whether nothing follows. */
  isLast: boolean
}

/** So many rows are written in one transaction; and so many, where each can start something. */
const MAX_ROWS = 5_000
const MAX_STARTING_ROWS = 100
/** A row of an address that has so many before it is left for the next piece: each of them is a statement. */
const MAX_ROUNDS = 100
/** So many sequences end in one transaction, because of who has opted out: each is some statements. */
const MAX_ENDING = 500
/** How long rows are looked at before others get their turn, in milliseconds. */
const TURN_MS = 10
const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const MAX_PROBLEM = 300

/**
 * Reads a piece of a file, and writes its contacts, who has opted out, what was wrong, and how far it has come, in one transaction: whatever
 * crashes, a piece is done or is not, and whoever goes on where the import says does no row twice. What has no end yet is left for the
 * next piece.
 *
 * @returns the import as it is behind it
 * @throws {ApiError} `import_not_found`; `import_ended`; `import_position_mismatch` where the piece is not the next one; `wrong_header`
 */
export async function importChunk(
  dependencies: Pick<Dependencies, 'em'>,
  workspaceId: string,
  id: string,
  piece: Piece,
  call: Call,
): Promise<Import> {
  const { behind, of } = await unitOf(dependencies.em).transactional(async (unit) => {
    if (!isId(id) || !(await lockImport(unit, workspaceId, id))) throw new ApiError(IMPORT_NOT_FOUND)
    const found = await unit.findOneOrFail(Import, { id }, { refresh: true })
    if (found.status !== 'RUNNING') throw new ApiError(IMPORT_ENDED)
    if (found.position !== piece.position)
      throw new ApiError(IMPORT_POSITION_MISMATCH, {
        message: `${IMPORT_POSITION_MISMATCH.message}: ${found.position}, and not ${piece.position}`,
        param: '/position',
      })
    const read = await readRecords(found, piece)
    const rows = await readRowsToEnd(unit, found, read)
    const place = placeBehind(found, piece, read, rows.taken)
    const written = await writeRows({ em: unit }, found, rows, call)
    const errors = [...rows.errors, ...written.errors]
    await insertErrors(unit, id, errors)
    Object.assign(found, {
      ...place,
      created: found.created + written.created,
      updated: found.updated + written.updated,
      suppressed: found.suppressed + written.suppressed,
      failed: found.failed + errors.length,
      updatedAt: new Date(),
    })
    if (found.status !== 'RUNNING') found.finishedAt = new Date()
    await unit.flush()
    return { behind: await unit.findOneOrFail(Import, { id }, FRESH_READ), of: written.of }
  })
  await whenDurable(dependencies, call, () => afterSuppressingMany(dependencies.em.fork(), workspaceId, of))
  return behind
}

interface Read extends ReadCsv {
  header: string[] | undefined
  delimiter: string
  /** How many bytes are before the first record, and no part of it. */
  skipped: number
  /** Whether the first of these is the header, and no row. */
  hasHeader: boolean
  /** Whether more records may follow in the piece. */
  isCut: boolean
}

async function readRecords(found: Import, { bytes, position, isLast }: Piece): Promise<Read> {
  if (position === 0) assertNoJson(found.format, bytes.subarray(0, 64).toString('utf8'))
  const skipped = position === 0 && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0
  const most = found.options.triggers ? MAX_STARTING_ROWS : MAX_ROWS
  const whole = bytes.subarray(skipped)
  // What is not taken is not looked at, either.
  const text = firstLines(whole, 2 * most)
  const delimiter = found.delimiter ?? delimiterOf(text.subarray(0, 64 * 1024).toString('utf8'))
  const beginning = await readCsv(text, { delimiter, isLast: isLast && text.length === whole.length, most })
  // One row can have more lines than that.
  const isLong = beginning.records.length === 0 && text.length < whole.length
  const read = isLong ? await readCsv(whole, { delimiter, isLast, most }) : beginning
  const hasHeader = found.header == null
  const header = found.header ?? read.records[0]?.cells
  return {
    ...read,
    header,
    delimiter,
    skipped,
    hasHeader,
    isCut: (!isLong && text.length < whole.length) || read.records.length >= most,
  }
}

/** Where an import is behind so many of its records. */
function placeBehind(
  found: Import,
  { bytes, position, isLast }: Piece,
  { records, broken, header, delimiter, skipped, isCut }: Read,
  taken: number,
): Pick<Import, 'position' | 'line' | 'status' | 'delimiter' | 'header' | 'problem'> {
  const last = records[taken - 1]
  // What has no record in it is behind it, too: as many empty lines as there are.
  const empty = last ? '' : /^(?:[^\S\n]*\n)*/.exec(bytes.subarray(skipped).toString('latin1'))![0]
  const isAll = taken === records.length
  const isWhole = isLast && !broken && !isCut && isAll
  const isBroken = broken !== undefined && isAll
  return {
    position: isWhole
      ? position + bytes.length
      : last
        ? position + skipped + last.end
        : empty === ''
          ? position
          : position + skipped + empty.length,
    line: found.line + (last?.lastLine ?? empty.split('\n').length - 1),
    status: isBroken ? 'FAILED' : isWhole ? 'DONE' : 'RUNNING',
    // A file without a header has no rows.
    delimiter: header === undefined ? null : delimiter,
    header: header ?? null,
    problem: isBroken ? `The record that begins on line ${found.line + broken.line} ${broken.words}` : null,
  }
}

interface ReadRow {
  contact: ContactInput
  optOut: OptOut | null
  /** Whether she wants no mail, by this row or another one. */
  isOut: boolean
  line: number
  /** How many rows of its address are before it. */
  round: number
}

/** Somebody of whom only that could be read. */
interface OptedOut extends OptOut {
  email: string
  externalId?: string | undefined
  line: number
}

interface Rows {
  rows: ReadRow[]
  /** Who has opted out in a row that cannot be read. */
  out: OptedOut[]
  errors: RowError[]
  /** How many of the records that took: up to where one address has come too often. */
  taken: number
}

/** Reads as many records as end no more sequences than one transaction may. */
async function readRowsToEnd(em: EntityManager, found: Import, read: Read): Promise<Rows> {
  const all = await readWhoIsOut(em, found, read)
  const out = optedOutOf(all).toSorted((a, b) => a.line - b.line)
  if (out.length === 0) return all
  const active = await countActiveOf(em, found.workspaceId, [...new Set(out.map(({ email }) => emailKey(email)))])
  let ending = 0
  for (const { email, line } of out) {
    const count = active.get(emailKey(email)) ?? 0
    if (ending > 0 && ending + count > MAX_ENDING) {
      const most = read.records.findIndex(({ line: within }) => found.line + within >= line)
      return readWhoIsOut(em, found, { ...read, records: read.records.slice(0, most) })
    }
    // Of several rows of hers, the first ends all.
    active.delete(emailKey(email))
    ending += count
  }
  return all
}

async function readWhoIsOut(em: EntityManager, found: Import, read: Read): Promise<Rows> {
  const all = await readRows(found, read)
  await findByIds(em, found.workspaceId, all)
  keepOut(all)
  return all
}

/**
 * Who has opted out in a row without an address may be known by an id, by another row or before. With one it is that address alone: ids can be
 * another's elsewhere.
 */
async function findByIds(em: EntityManager, workspaceId: string, { rows, out }: Rows): Promise<void> {
  const without = out.filter(({ email, externalId }) => externalId !== undefined && !isEmailAddress(email))
  if (without.length === 0) return
  const ids = without.map(({ externalId }) => externalId!)
  const here = rows.flatMap(({ contact: { externalId, email } }) => (externalId ? [[externalId, email] as const] : []))
  const known = new Map([...here, ...(await addressesByExternalId(em, workspaceId, ids))])
  for (const one of without) one.email = known.get(one.externalId!) ?? one.email
}

/** What is no address is left out: it can hold what the database takes nowhere. */
const optedOutOf = ({ rows, out }: { rows: readonly ReadRow[]; out: readonly OptedOut[] }): OptedOut[] =>
  [
    ...rows.flatMap(({ contact: { email }, optOut, line }) => (optOut ? [{ email, line, ...optOut }] : [])),
    ...out,
  ].filter(({ email }) => isEmailAddress(email))

/** Reads records as contacts; those that cannot be fail alone. @throws {ApiError} `wrong_header` */
async function readRows(
  { line: before, format, options }: Import,
  { records, header, hasHeader }: Read,
): Promise<Rows> {
  const rows: ReadRow[] = []
  const out: OptedOut[] = []
  const errors: RowError[] = []
  if (!header) return { rows, out, errors, taken: records.length }
  const readRow = readHeader(format, header, options)
  const times = new Map<string, number>()
  /** On which line a row of an address may say that it is not to be mailed. */
  const unclear = new Map<string, number>()
  let turn = performance.now()
  for (let at = hasHeader ? 1 : 0; at < records.length; at += 1) {
    if (performance.now() - turn > TURN_MS) {
      await nextTurn()
      turn = performance.now()
    }
    const { cells, line: within } = records[at]!
    const line = before + within
    let row: Row | undefined
    try {
      // Of a ragged one, what is there.
      row = readRow(header.map((_, column) => cells[column]?.trim() ?? ''))
      if (cells.length !== header.length)
        // A no can stand in a cell further on.
        throw new UnclearRow(row.email, `It has ${cells.length} cells, and the header has ${header.length}`)
      const contact = row.contact()
      const tags = [...(contact.tags ?? []), ...options.tags]
      const given = { email: addressIn(row.email), ...stated(contact), ...(tags.length > 0 && { tags }) }
      const fault = findJsonFault(given)
      if (fault) throw new RowProblem(fault)
      const checked = checkContact(given)
      const key = emailKey(checked.email)
      const round = times.get(key) ?? 0
      if (round === MAX_ROUNDS) return taken(at)
      times.set(key, round + 1)
      const listId = options.listId ?? undefined
      rows.push({
        contact: { ...checked, ...(listId !== undefined && { listId, confirmed: options.confirmed }) },
        optOut: row.optOut,
        isOut: false,
        line,
        round,
      })
    } catch (error) {
      if (!(error instanceof RowProblem) && !(error instanceof ApiError)) throw error
      errors.push({ line, problem: error.message.slice(0, MAX_PROBLEM) })
      if (error instanceof UnclearRow) unclear.set(emailKey(addressIn(error.email)), line)
      if (row?.optOut) out.push({ email: addressIn(row.email), externalId: idIn(row), line, ...row.optOut })
    }
  }
  return taken(records.length)

  function taken(count: number) {
    const clear = rows.filter(({ contact, optOut, line }) => {
      const first = unclear.get(emailKey(contact.email))
      if (first === undefined) return true
      errors.push({ line, problem: `The row of its address on line ${first} may say that it is not to be mailed` })
      if (optOut) out.push({ email: contact.email, line, ...optOut })
      return false
    })
    errors.sort((a, b) => a.line - b.line)
    return { rows: clear, out, errors, taken: count }
  }
}

/** Such an id, where it can be one. */
const idIn = ({ externalId }: Row): string | undefined =>
  externalId !== undefined && findJsonFault(externalId) === undefined ? externalId : undefined

/** Whoever wants no mail by one of her rows joins no list by another one, and begins nothing. */
function keepOut({ rows, out }: Rows): void {
  const keyOf = (row: ReadRow) => emailKey(row.contact.email)
  const keys = new Set([
    ...rows.filter(({ optOut }) => optOut !== null).map(keyOf),
    ...out.map(({ email }) => emailKey(email)),
  ])
  if (keys.size === 0) return
  for (const row of rows) {
    if (!keys.has(keyOf(row))) continue
    row.isOut = true
    delete row.contact.listId
    delete row.contact.confirmed
  }
}

/** Without what is not said. */
const stated = (contact: object): object =>
  Object.fromEntries(Object.entries(contact).filter(([, value]) => value !== undefined))

async function writeRows(
  dependencies: Pick<Dependencies, 'em'>,
  { workspaceId, options: { triggers } }: Import,
  { rows, out }: { rows: readonly ReadRow[]; out: readonly OptedOut[] },
  call: Call,
): Promise<{ created: number; updated: number; suppressed: number; of: SuppressedMany; errors: RowError[] }> {
  const of: SuppressedMany = { contactIds: [], nobodys: [] }
  const done = { created: 0, updated: 0, suppressed: 0, of, errors: [] as RowError[] }
  for (const round of roundsOf(rows)) {
    // Who wants no mail begins nothing.
    const inputs = round.map(({ contact, line, isOut }) => ({ index: line, input: contact, quiet: isOut }))
    const written = await upsertManyContacts(dependencies, workspaceId, { inputs, triggers, ofFile: true }, call)
    done.created += written.created
    done.updated += written.updated
    done.errors.push(
      ...written.errors.map(({ index, error }) => ({ line: index, problem: error.slice(0, MAX_PROBLEM) })),
    )
  }
  // Also of a contact that could not be read or written: she has opted out all the same.
  const suppressions = new Map<string, SuppressionInput>()
  for (const { email, reason, note } of optedOutOf({ rows, out }))
    suppressions.set(`${reason} ${emailKey(email)}`, { email, reason, note })
  if (suppressions.size > 0)
    Object.assign(done, await suppressMany(dependencies.em, workspaceId, [...suppressions.values()]))
  return done
}

/** Of one address several rows may tell: each is written behind the one before, and none is lost. */
function roundsOf(rows: readonly ReadRow[]): ReadRow[][] {
  const rounds: ReadRow[][] = []
  for (const row of rows) (rounds[row.round] ??= []).push(row)
  return rounds
}
