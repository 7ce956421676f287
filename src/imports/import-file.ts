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
import { beginOrResume, deleteImport, getImport } from './imports.ts'
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
  encoding: Encoding
  /** Whether the import resumes one that was interrupted. */
  isResumed: boolean
}

/** Chunk size: large enough to amortize a transaction, small enough that a crash loses little work. */
const CHUNK_BYTES = 256 * 1024
/** JSON files are read into memory as a whole. */
const MAX_JSON_BYTES = 256 * 1024 * 1024
const MAX_ATTEMPTS = 15
/** Smallest chunk after slow attempts. Most records are shorter. */
const MIN_CHUNK_BYTES = 4 * 1024
const BUSY_MS = 5_000
/** Linear backoff: a database has two minutes to come back. */
const AWAY_MS = 1_000
const SLOW_MS = 100
const APPLIED_ALREADY = [IMPORT_POSITION_MISMATCH.code, IMPORT_ENDED.code]

/**
 * Imports a file of contacts into a workspace. After an interruption, the same call with the same file resumes and applies no row
 * twice. This holds for a completed import too, until `setAudited`. Memory does not grow with the file, except for JSON.
 *
 * @param onProgress called at the start and after every chunk
 * @throws {FileProblem}, {ApiError} if none of the file can be read
 */
export async function importFile(
  dependencies: Pick<Dependencies, 'em'>,
  workspaceId: string,
  input: ImportFileInput,
  onProgress: (progress: Progress) => void = () => undefined,
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
  onProgress({ found, encoding, isResumed })

  if (found.status !== 'RUNNING') return found
  const bytes = json ? [json.subarray(found.position)] : utf8From(path, encoding, found.position)
  let waiting = Buffer.alloc(0)
  let most = CHUNK_BYTES
  const take = async (isLast: boolean) => {
    const position = found.position
    found = await withRetries(
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
      // A statement that timed out may succeed with fewer rows.
      () => (most = Math.max(MIN_CHUNK_BYTES, most / 2)),
      () => getImport(em, workspaceId, found.id),
    )
    // Another process imports the same file and is further ahead than the bytes read here.
    if (found.position - position > waiting.length) throw new ApiError(IMPORT_POSITION_MISMATCH)
    // The record is longer than the chunk.
    if (found.position === position) most *= 2
    waiting = waiting.subarray(found.position - position)
    onProgress({ found, encoding, isResumed })
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
    // Nothing was imported, so there is nothing to resume.
    if (!isResumed && found.position === 0) await deleteImport(em, found.id)
    throw error
  }

  async function takeAll(): Promise<Import> {
    for await (const chunk of bytes) {
      chunks.push(chunk)
      gathered += chunk.length
      if (waiting.length + gathered < CHUNK_BYTES) continue
      gather()
      // A chunk can have more rows than one transaction applies.
      while (waiting.length >= CHUNK_BYTES && found.status === 'RUNNING') {
        const before = waiting.length
        await take(false)
        if (waiting.length === before) break
      }
      if (found.status !== 'RUNNING') return found
      if (waiting.length > CHUNK_BYTES + 4 * MAX_RECORD_BYTES) throw new FileProblem('A record has no end')
    }
    gather()
    while (found.status === 'RUNNING') await take(true)
    return found
  }
}

/**
 * Runs a chunk and retries it after a deadlock, a timeout or a lost database connection. If the outbox is full (`unavailable`),
 * waits without a time limit until it drains.
 */
async function withRetries(
  run: () => Promise<Import>,
  onSlow: () => void,
  reread: () => Promise<Import>,
): Promise<Import> {
  let next = run
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await next()
    } catch (error) {
      // The previous attempt was committed, but its result was lost.
      if (next === run && attempt > 1 && error instanceof ApiError && APPLIED_ALREADY.includes(error.code)) {
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
    throw new FileProblem(`The JSON file is larger than ${MAX_JSON_BYTES} bytes. Split it, or convert it to CSV.`)
  return Buffer.from(plunkToCsv(new TextDecoder(encoding).decode(await readFile(path))))
}

/** Hashes the content of a file and the import options, to recognize the same import again. */
async function fingerprintOf({ path, format, options }: ImportFileInput): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([basename(path), await sizeOf(path), format, options]))
  for await (const chunk of utf8From(path, 'utf-8', 0)) hash.update(chunk)
  return hash.digest('hex')
}
