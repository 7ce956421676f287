import { pageSizes } from '../platform/page-sizes.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  addressesByExternalId,
  checkContact,
  type ContactInput,
  lockContactsByKey,
  upsertManyContacts,
} from '../contacts/index.ts'
import {
  afterSuppressingMany,
  countActiveOf,
  type SuppressedMany,
  type SuppressionInput,
  suppressMany,
} from '../consent/index.ts'
import { lockListsToJoin } from '../lists/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { whenDurable, type Call } from '../platform/call.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { emailKey, isEmailAddress } from '../platform/email-address.ts'
import { firstLines } from '../platform/first-lines.ts'
import { findJsonFault } from '../platform/json.ts'
import { ApiError } from '../platform/api-error.ts'
import { recordWebhookFacts } from '../webhooks/index.ts'
import { addressIn, RowProblem, UnclearRow, withoutFormulaMark } from './cells.ts'
import { Import } from './entities.ts'
import { titlesOf } from './mapping.ts'
import { deleteChunks, insertErrors, lockImport, readBytes, type RowError } from './queries.ts'
import { MAX_RECORD_BYTES, type ReadCsv, readCsv } from './read-csv.ts'
import { createRowReader, type OptOut, type Row } from './read-row.ts'

/** Bytes per transaction: enough for the longest record. */
const CHUNK_BYTES = 2 * MAX_RECORD_BYTES
/** Maximum number of rows per address in one chunk. Each one needs its own statement, so further rows wait for the next chunk. */
const MAX_ROUNDS = 100
/** Maximum number of enrollments that opt-outs end in one transaction. Each one takes several statements. */
const MAX_ENDING = 500
/** Milliseconds of parsing before the event loop gets a turn. */
const TURN_MS = 10
const MAX_PROBLEM = 300

/**
 * Reads the next chunk of an uploaded file and writes its contacts, opt-outs, errors and the new position in one transaction. After
 * a crash, the chunk is either applied or not, so repeating the call applies no row twice. An incomplete last record is left for
 * the next chunk.
 *
 * @param attempt each attempt after the first halves the number of rows, for a statement that timed out
 * @returns the import after the chunk; `undefined` if it is deleted
 */
export async function advanceImport(
  dependencies: Pick<Dependencies, 'em'>,
  workspaceId: string,
  id: string,
  call: Call,
  attempt = 1,
): Promise<Import | undefined> {
  const advanced = await unitOf(dependencies.em).transactional(async (unit) => {
    if (!(await lockImport(unit, workspaceId, id))) return undefined
    const found = await unit.findOneOrFail(Import, { id }, { refresh: true })
    if (found.status !== 'RUNNING') return { found, suppressions: undefined }
    const most =
      (found.options.triggers ? pageSizes.importedStartingRows : pageSizes.importedRows) >> Math.min(attempt - 1, 10)
    const read = await readRecords(unit, found, Math.max(1, most))
    const rows = await readRowsWithinLimits(unit, found, read)
    const progress = progressAfter(found, read, rows.taken)
    const written = await writeRows({ em: unit }, found, rows, call)
    const errors = [...rows.errors, ...written.errors.map((error) => ({ ...error, cells: rows.cellsOf(error.line) }))]
    await insertErrors(unit, id, errors)
    Object.assign(found, {
      ...progress,
      created: found.created + written.created,
      updated: found.updated + written.updated,
      suppressed: found.suppressed + written.suppressed,
      failed: found.failed + errors.length,
      updatedAt: new Date(),
    })
    if (found.status !== 'RUNNING') found.finishedAt = new Date()
    await deleteChunks(unit, id, found.status === 'RUNNING' ? found.position : Number.MAX_SAFE_INTEGER)
    await unit.flush()
    if (found.status !== 'RUNNING')
      await recordWebhookFacts(unit, [{ type: 'import.finished', workspaceId, importId: id }])
    return { found: await unit.findOneOrFail(Import, { id }, FRESH_READ), suppressions: written.of }
  })
  const { found, suppressions } = advanced ?? {}
  if (suppressions)
    await whenDurable(dependencies, call, () => afterSuppressingMany(dependencies.em.fork(), workspaceId, suppressions))
  return found
}

interface Read extends ReadCsv {
  titles: string[]
  bytes: Buffer
  /** Whether the bytes reach the end of the file. */
  isLast: boolean
  /** The chunk may have more records than were read. */
  isCut: boolean
}

async function readRecords(
  em: EntityManager,
  { id, position, size, header, delimiter }: Import,
  most: number,
): Promise<Read> {
  const bytes = await readBytes(em, id, position, CHUNK_BYTES)
  const isLast = position + bytes.length === size
  // Parse no more than this transaction can apply.
  const text = firstLines(bytes, 2 * most)
  const beginning = await readCsv(text, { delimiter: delimiter!, isLast: isLast && text.length === bytes.length, most })
  // A single row can span more lines than this.
  const isLong = beginning.records.length === 0 && text.length < bytes.length
  const read = isLong ? await readCsv(bytes, { delimiter: delimiter!, isLast, most }) : beginning
  return {
    ...read,
    titles: titlesOf(header!),
    bytes,
    isLast,
    isCut: (!isLong && text.length < bytes.length) || read.records.length >= most || read.isStopped,
  }
}

/** Computes the state of an import after the first `taken` records of a chunk. */
function progressAfter(
  { position, line, size }: Import,
  { records, bytes, isLast, isCut }: Read,
  taken: number,
): Pick<Import, 'position' | 'line' | 'status' | 'problem'> {
  const last = records[taken - 1]
  // A chunk without records still advances past its empty lines.
  const empty = last ? '' : /^(?:[^\S\n]*\n)*/.exec(bytes.toString('latin1'))![0]
  const isAll = taken === records.length
  const isWhole = isLast && isAll && (!isCut || last?.end === bytes.length)
  // A record without an end would otherwise be read again forever.
  const isEndless = !last && !isLast && empty === '' && bytes.length >= CHUNK_BYTES
  return {
    position: isWhole ? size! : position + (last?.end ?? empty.length),
    line: line + (last?.lastLine ?? empty.split('\n').length - 1),
    status: isEndless ? 'FAILED' : isWhole ? 'DONE' : 'RUNNING',
    problem: isEndless ? `The record that begins on line ${line + 1} has no end` : null,
  }
}

interface ReadRow {
  contact: ContactInput
  optOut: OptOut | null
  /** This row, or another one of the same address, is an opt-out. */
  isOut: boolean
  line: number
  /** Number of earlier rows with the same address. */
  round: number
}

/** An opt-out from a row that is otherwise unreadable. */
interface OptedOut extends OptOut {
  email: string
  externalId?: string | undefined
  line: number
}

interface Rows {
  rows: ReadRow[]
  /** Opt-outs of rows that cannot be read otherwise. */
  out: OptedOut[]
  errors: RowError[]
  /** Number of records read, up to the first address with too many rows. */
  taken: number
  /** Returns the cells of the row on a line, if they can be stored. */
  cellsOf: (line: number) => readonly string[] | null
}

/** Reads records until their opt-outs end as many enrollments as one transaction may. */
async function readRowsWithinLimits(em: EntityManager, found: Import, read: Read): Promise<Rows> {
  const all = await readRowsAndOptOuts(em, found, read)
  const out = optedOutOf(all).toSorted((a, b) => a.line - b.line)
  if (out.length === 0) return all
  const active = await countActiveOf(em, found.workspaceId, [...new Set(out.map(({ email }) => emailKey(email)))])
  let ending = 0
  for (const { email, line } of out) {
    const count = active.get(emailKey(email)) ?? 0
    if (ending > 0 && ending + count > MAX_ENDING) {
      const most = read.records.findIndex(({ line: within }) => found.line + within >= line)
      return readRowsAndOptOuts(em, found, { ...read, records: read.records.slice(0, most) })
    }
    // The first row of an address ends all its enrollments.
    active.delete(emailKey(email))
    ending += count
  }
  return all
}

async function readRowsAndOptOuts(em: EntityManager, found: Import, read: Read): Promise<Rows> {
  const all = await readRows(found, read)
  await findByIds(em, found.workspaceId, all)
  applyOptOuts(all)
  return all
}

/**
 * Finds the address of an opt-out without one by its external ID, in another row or among the contacts. If the row has an
 * address, only the address counts, because another system may use the ID for another person.
 */
async function findByIds(em: EntityManager, workspaceId: string, { rows, out }: Rows): Promise<void> {
  const without = out.filter(({ email, externalId }) => externalId !== undefined && !isEmailAddress(email))
  if (without.length === 0) return
  const ids = without.map(({ externalId }) => externalId!)
  const here = rows.flatMap(({ contact: { externalId, email } }) => (externalId ? [[externalId, email] as const] : []))
  const known = new Map([...here, ...(await addressesByExternalId(em, workspaceId, ids))])
  for (const optOut of without) optOut.email = known.get(optOut.externalId!) ?? optOut.email
}

/** Lists the opt-outs with a valid address. Invalid ones may hold characters that the database rejects. */
const optedOutOf = ({ rows, out }: { rows: readonly ReadRow[]; out: readonly OptedOut[] }): OptedOut[] =>
  [
    ...rows.flatMap(({ contact: { email }, optOut, line }) => (optOut ? [{ email, line, ...optOut }] : [])),
    ...out,
  ].filter(({ email }) => isEmailAddress(email))

/** Reads records as contacts. An unreadable record does not affect the others. */
async function readRows({ line: before, options }: Import, { records, titles }: Read): Promise<Rows> {
  const rows: ReadRow[] = []
  const out: OptedOut[] = []
  const errors: RowError[] = []
  const readRow = createRowReader(titles, options)
  const byLine = new Map(records.map(({ cells, line }) => [before + line, cells]))
  const cellsOf = (line: number) => {
    const cells = byLine.get(line)
    return cells && !findJsonFault(cells) ? cells : null
  }
  const fail = (line: number, problem: string) =>
    errors.push({ line, problem: problem.slice(0, MAX_PROBLEM), cells: cellsOf(line) })
  const times = new Map<string, number>()
  /** By address: the line of a row that may be an opt-out. */
  const unclear = new Map<string, number>()
  let turn = performance.now()
  for (const [at, { cells, line: within, problem }] of records.entries()) {
    if (performance.now() - turn > TURN_MS) {
      await nextTurn()
      turn = performance.now()
    }
    const line = before + within
    let row: Row | undefined
    try {
      // Short rows are padded.
      row = readRow(titles.map((_, column) => withoutFormulaMark(cells[column]?.trim() ?? '')))
      // It may be an opt-out.
      if (problem !== undefined) throw new UnclearRow(row.email, problem)
      if (cells.length !== titles.length)
        // One of the extra cells may be an opt-out.
        throw new UnclearRow(row.email, `The row has ${cells.length} cells, but the header has ${titles.length}`)
      const contact = row.contact()
      const tags = [...(contact.tags ?? []), ...options.tags]
      const given = { email: addressIn(row.email), ...defined(contact), ...(tags.length > 0 && { tags }) }
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
      fail(line, error.message)
      if (error instanceof UnclearRow) unclear.set(emailKey(addressIn(error.email)), line)
      if (row?.optOut) out.push({ email: addressIn(row.email), externalId: idIn(row), line, ...row.optOut })
    }
  }
  return taken(records.length)

  function taken(count: number): Rows {
    const clear = rows.filter(({ contact, optOut, line }) => {
      const first = unclear.get(emailKey(contact.email))
      if (first === undefined) return true
      fail(line, `The row on line ${first} has the same address and may be an opt-out`)
      if (optOut) out.push({ email: contact.email, line, ...optOut })
      return false
    })
    errors.sort((a, b) => a.line - b.line)
    return { rows: clear, out, errors, taken: count, cellsOf }
  }
}

/** Returns the external ID of a row if it is storable. */
const idIn = ({ externalId }: Row): string | undefined =>
  externalId !== undefined && findJsonFault(externalId) === undefined ? externalId : undefined

/** Marks all rows of an address with an opt-out, so that none of them joins a list or starts an automation. */
function applyOptOuts({ rows, out }: Rows): void {
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

/** Drops `undefined` values. */
const defined = (contact: object): object =>
  Object.fromEntries(Object.entries(contact).filter(([, value]) => value !== undefined))

/** A row that could not be written. */
type WriteError = Omit<RowError, 'cells'>

async function writeRows(
  dependencies: Pick<Dependencies, 'em'>,
  { workspaceId, options: { triggers, listId } }: Import,
  { rows, out }: { rows: readonly ReadRow[]; out: readonly OptedOut[] },
  call: Call,
): Promise<{ created: number; updated: number; suppressed: number; of: SuppressedMany; errors: WriteError[] }> {
  const of: SuppressedMany = { contactIds: [], addressIds: [], keysWithoutContact: [] }
  const done = { created: 0, updated: 0, suppressed: 0, of, errors: [] as WriteError[] }
  const optOuts = optedOutOf({ rows, out })
  if (out.length > 0) {
    // The contacts of unreadable rows are not written. All contacts of the chunk are locked first, in one order.
    const keys = [...rows.map(({ contact }) => contact), ...optOuts].map(({ email }) => emailKey(email))
    await lockListsToJoin(dependencies.em, workspaceId, listId == null ? [] : [listId])
    await lockContactsByKey(dependencies.em, workspaceId, keys)
  }
  for (const round of roundsOf(rows)) {
    // Rows with an opt-out start no automation.
    const inputs = round.map(({ contact, line, isOut }) => ({ index: line, input: contact, quiet: isOut }))
    const written = await upsertManyContacts(dependencies, workspaceId, { inputs, triggers, ofFile: true }, call)
    done.created += written.created
    done.updated += written.updated
    done.errors.push(
      ...written.errors.map(({ index, error }) => ({ line: index, problem: error.slice(0, MAX_PROBLEM) })),
    )
  }
  // An opt-out applies even if the rest of the contact could not be read or written.
  const suppressions = new Map<string, SuppressionInput>()
  for (const { email, reason, note } of optOuts)
    suppressions.set(`${reason} ${emailKey(email)}`, { email, reason, note })
  if (suppressions.size > 0)
    Object.assign(done, await suppressMany(dependencies.em, workspaceId, [...suppressions.values()]))
  return done
}

/** Splits rows into rounds with one row per address, so that rows of the same address are written in order. */
function roundsOf(rows: readonly ReadRow[]): ReadRow[][] {
  const rounds: ReadRow[][] = []
  for (const row of rows) (rounds[row.round] ??= []).push(row)
  return rounds
}
