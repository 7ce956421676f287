import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Dependencies } from '../outbox/index.ts'
import { newCall } from '../platform/call.ts'
import { isConflict, isDatabaseUnavailable } from '../platform/db/errors.ts'
import { ApiError } from '../platform/api-error.ts'
import type { Import, ImportOptions } from './entities.ts'
import { FileProblem, type FormatName, plunkToCsv } from './formats/index.ts'
import { beginOrResume, dropImport, getImport } from './imports.ts'
import { MAX_RECORD_BYTES } from './read-csv.ts'
import { IMPORT_POSITION_MISMATCH, IMPORT_ENDED } from './errors.ts'
import { importChunk } from './import-chunk.ts'
import { type Encoding, encodingOf, sizeOf, utf8From } from './utf8-file.ts'

export interface ImportFileInput {
  path: string
  format: FormatName
  options: ImportOptions
}

export interface Progress {
  found: Import
  /** How the file writes characters. */
  encoding: Encoding
  /** Whether it goes on where another process has stopped. */
  isResumed: boolean
}

/** A transaction has so much: large enough that its own cost is little, and small enough that a kill costs little. */
const PIECE_BYTES = 256 * 1024
/** All of it has to be in memory. */
const MAX_JSON_BYTES = 256 * 1024 * 1024
const MAX_ATTEMPTS = 15
/** A record is no longer, mostly. */
const LEAST_BYTES = 4 * 1024
const BUSY_MS = 5_000
/** It is tried again later from one attempt to the next: two minutes for a database to come back. */
const AWAY_MS = 1_000
const SLOW_MS = 100
const DONE_ALREADY = [IMPORT_POSITION_MISMATCH.code, IMPORT_ENDED.code]

/**
 * Imports a file of contacts into a workspace. Stopped at any moment, the same call with the same file goes on where it was, and does no
 * row twice: also where all of it was done, until `setAudited`. Memory does not grow with the file, unless that is JSON.
 *
 * @param tell told before it begins, and behind every piece
 * @throws {FileProblem}, {ApiError} where nothing of the file can be read
 */
export async function importFile(
  dependencies: Pick<Dependencies, 'em'>,
  workspaceId: string,
  input: ImportFileInput,
  tell: (progress: Progress) => void = () => undefined,
): Promise<Import> {
  const { path, format, options } = input
  const encoding = await encodingOf(path)
  const json =
    format === 'plunk' && /\.(?:json|ndjson|jsonl)$/i.test(path) ? await readPlunk(path, encoding) : undefined
  const size = json ? json.length : encoding === 'utf-8' ? await sizeOf(path) : null
  const fingerprint = await fingerprintOf(input)
  const em = dependencies.em.fork()
  const made = { name: basename(path), format, options, size, fingerprint }
  const begun = await beginOrResume(em, workspaceId, made)
  const { isResumed } = begun
  let { found } = begun
  tell({ found, encoding, isResumed })

  if (found.status !== 'RUNNING') return found
  const bytes = json ? [json.subarray(found.position)] : utf8From(path, encoding, found.position)
  let waiting = Buffer.alloc(0)
  let most = PIECE_BYTES
  const take = async (isLast: boolean) => {
    const position = found.position
    found = await again(
      () => {
        const bytes = waiting.subarray(0, isLast && waiting.length <= most ? undefined : most)
        return importChunk(
          dependencies,
          workspaceId,
          found.id,
          { position, bytes, isLast: isLast && bytes.length === waiting.length },
          newCall(),
        )
      },
      // What takes the database too long at once does not in parts.
      () => (most = Math.max(LEAST_BYTES, most / 2)),
      () => getImport(em, workspaceId, found.id),
    )
    // Somebody else imports it at the same time, and is further on than what is read here.
    if (found.position - position > waiting.length) throw new ApiError(IMPORT_POSITION_MISMATCH)
    // A record that is longer than what was tried.
    if (found.position === position) most *= 2
    waiting = waiting.subarray(found.position - position)
    tell({ found, encoding, isResumed })
  }
  const chunks: Buffer[] = []
  let gathered = 0
  const gather = () => {
    waiting = Buffer.concat([waiting, ...chunks])
    chunks.length = 0
    gathered = 0
  }
  try {
    return await takeAll()
  } catch (error) {
    // Nothing of it is done, and nobody goes on with that.
    if (!isResumed && found.position === 0) await dropImport(em, found.id)
    throw error
  }

  async function takeAll(): Promise<Import> {
    for await (const chunk of bytes) {
      chunks.push(chunk)
      gathered += chunk.length
      if (waiting.length + gathered < PIECE_BYTES) continue
      gather()
      // A piece can have more rows than one transaction takes.
      while (waiting.length >= PIECE_BYTES && found.status === 'RUNNING') {
        const before = waiting.length
        await take(false)
        if (waiting.length === before) break
      }
      if (found.status !== 'RUNNING') return found
      if (waiting.length > PIECE_BYTES + 4 * MAX_RECORD_BYTES) throw new FileProblem('A record does not end')
    }
    gather()
    while (found.status === 'RUNNING') await take(true)
    return found
  }
}

/**
 * Others may write the same contacts in another order, or have the database be slow or away: then it is done again. Where too much has been
 * begun that waits for its delivery, it waits with it.
 */
async function again(run: () => Promise<Import>, onSlow: () => void, reread: () => Promise<Import>): Promise<Import> {
  let next = run
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await next()
    } catch (error) {
      // The try before was committed, and failed behind that, or nobody heard of it.
      if (next === run && attempt > 1 && error instanceof ApiError && DONE_ALREADY.includes(error.code)) {
        next = reread
        continue
      }
      const isBusy = error instanceof ApiError && error.kind === 'unavailable'
      const isSlow = isConflict(error)
      const isAway = isDatabaseUnavailable(error)
      if (!isBusy && (attempt >= MAX_ATTEMPTS || !(isSlow || isAway))) throw error
      if (isSlow) onSlow()
      await delay(isBusy ? BUSY_MS : (isAway ? AWAY_MS : SLOW_MS) * attempt)
    }
  }
}

async function readPlunk(path: string, encoding: Encoding): Promise<Buffer> {
  if ((await sizeOf(path)) > MAX_JSON_BYTES)
    throw new FileProblem(`It is JSON of more than ${MAX_JSON_BYTES} bytes: split it, or write it as CSV`)
  return Buffer.from(plunkToCsv(new TextDecoder(encoding).decode(await readFile(path))))
}

/** By which the same file, to be imported in the same way, is known again: all that is in it, and what was chosen. */
async function fingerprintOf({ path, format, options }: ImportFileInput): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([basename(path), await sizeOf(path), format, options]))
  for await (const chunk of utf8From(path, 'utf-8', 0)) hash.update(chunk)
  return hash.digest('hex')
}
