import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Dependencies } from '../outbox/index.ts'
import { newCall } from '../platform/call.ts'
import { isConflict, isDatabaseUnavailable } from '../platform/db/errors.ts'
import { ApiError } from '../platform/api-error.ts'
import { advanceImport } from './advance-import.ts'
import { FileProblem } from './cells.ts'
import type { Import, ImportOptions } from './entities.ts'
import {
  IMPORT_NOT_FOUND,
  IMPORT_POSITION_MISMATCH,
  IMPORT_STARTED,
  IMPORT_UPLOADED,
  MAPPING_INCOMPLETE,
} from './errors.ts'
import type { ColumnSample } from './guess.ts'
import { beginOrResume, deleteBeforeStart, getImport, sampleImport, startImport } from './imports.ts'
import { mapColumns, type MappedColumn, titlesOf } from './mapping.ts'
import { plunkToCsv } from './plunk-json.ts'
import { detectPreset, type PresetName } from './presets.ts'
import { uploadChunk } from './upload.ts'
import { type Encoding, encodingOf, sizeOf, utf8From } from './utf8-file.ts'

export interface ImportFileInput {
  path: string
  options: ImportOptions
}

export interface Progress {
  found: Import
  encoding: Encoding
  /** Whether the import resumes one that was interrupted. */
  isResumed: boolean
}

/** Error for a file whose mapping is incomplete, with the known details of its columns. */
export class IncompleteMapping extends Error {
  override readonly name = 'IncompleteMapping'
  readonly columns: readonly (MappedColumn & ColumnSample)[]
  readonly detectedPreset: PresetName | null

  constructor(message: string, columns: readonly (MappedColumn & ColumnSample)[], detectedPreset: PresetName | null) {
    super(message)
    this.columns = columns
    this.detectedPreset = detectedPreset
  }
}

const CHUNK_BYTES = 256 * 1024
/** JSON files are read into memory as a whole. */
const MAX_JSON_BYTES = 256 * 1024 * 1024
const MAX_ATTEMPTS = 15
const BUSY_MS = 5_000
/** Linear backoff: a database has two minutes to come back. */
const AWAY_MS = 1_000
const SLOW_MS = 100

/**
 * Uploads a file of contacts into a workspace and imports it. After an interruption, the same call with the same file resumes and
 * applies no row twice. This holds for a completed import too, until `setAudited`. A worker imports the same file concurrently, so
 * the import also ends if this process is killed. Memory does not grow with the file, except for JSON.
 *
 * @param onProgress called at the start and after every chunk
 * @throws {FileProblem}, {ApiError} if none of the file can be read; {IncompleteMapping}
 */
export async function importFile(
  dependencies: Pick<Dependencies, 'em'>,
  workspaceId: string,
  input: ImportFileInput,
  onProgress: (progress: Progress) => void = () => undefined,
): Promise<Import> {
  const { path, options } = input
  const encoding = await encodingOf(path)
  const json = /\.(?:json|ndjson|jsonl)$/i.test(path) ? await readPlunk(path, encoding) : undefined
  const em = dependencies.em.fork()
  const fingerprint = await fingerprintOf(input)
  const begun = await beginOrResume(em, workspaceId, { name: basename(path), options, fingerprint })
  const { isResumed } = begun
  let { found } = begun
  const { id } = found
  const bytes = (from: number) => (json ? [json.subarray(from)] : utf8From(path, encoding, from))
  try {
    if (found.status === 'UPLOADING') found = await upload()
    if (found.status === 'DRAFT') found = await start()
  } catch (error) {
    if (!isResumed) await deleteBeforeStart(em, workspaceId, id)
    throw error
  }
  onProgress({ found, encoding, isResumed })
  while (found.status === 'RUNNING') {
    const next = await withRetries((attempt) => advanceImport(dependencies, workspaceId, id, newCall(), attempt))
    if (!next) throw new ApiError(IMPORT_NOT_FOUND)
    found = next
    onProgress({ found, encoding, isResumed })
  }
  return found

  async function upload(): Promise<Import> {
    let position = found.uploaded
    let waiting = Buffer.alloc(0)
    const send = async (isLast: boolean) => {
      const piece = { position, bytes: waiting, isLast }
      try {
        await withRetries(() => uploadChunk(em, workspaceId, id, piece))
      } catch (error) {
        // The response to the commit was lost, or another process uploads the same file.
        if (!isCode(error, IMPORT_POSITION_MISMATCH.code, IMPORT_UPLOADED.code)) throw error
      }
      position += waiting.length
      waiting = Buffer.alloc(0)
    }
    for await (const chunk of bytes(position)) {
      waiting = Buffer.concat([waiting, chunk])
      if (waiting.length >= CHUNK_BYTES) await send(false)
    }
    await send(true)
    return getImport(em, workspaceId, id)
  }

  async function start(): Promise<Import> {
    try {
      return await withRetries(() => startImport(em, workspaceId, id))
    } catch (error) {
      if (isCode(error, IMPORT_STARTED.code)) return getImport(em, workspaceId, id)
      if (!isCode(error, MAPPING_INCOMPLETE.code)) throw error
      const titles = titlesOf(found.header!)
      const samples = await sampleImport(em, found)
      const columns = mapColumns(titles, options).map((column, index) => ({ ...samples[index]!, ...column }))
      throw new IncompleteMapping((error as Error).message, columns, detectPreset(titles))
    }
  }
}

const isCode = (error: unknown, ...codes: string[]): boolean => error instanceof ApiError && codes.includes(error.code)

/**
 * Retries after a deadlock, a timeout or a lost database connection. If the outbox is full (`unavailable`), waits without a time
 * limit until it drains.
 */
async function withRetries<T>(run: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(attempt)
    } catch (error) {
      const isBusy = error instanceof ApiError && error.kind === 'unavailable'
      const isAway = isDatabaseUnavailable(error)
      if (!isBusy && (attempt >= MAX_ATTEMPTS || !(isConflict(error) || isAway))) throw error
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
async function fingerprintOf({ path, options }: ImportFileInput): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([basename(path), await sizeOf(path), options]))
  for await (const chunk of utf8From(path, 'utf-8', 0)) hash.update(chunk)
  return hash.digest('hex')
}
