import { ApiError } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { findJsonFault } from '../platform/json.ts'
import type { Import } from './entities.ts'
import { IMPORT_POSITION_MISMATCH, IMPORT_TOO_LARGE, IMPORT_UPLOADED, WRONG_HEADER } from './errors.ts'
import { lockedImport } from './imports.ts'
import { insertChunk, readBytes } from './queries.ts'
import { delimiterOf, MAX_RECORD_BYTES, readCsv } from './read-csv.ts'

export interface Chunk {
  /** Offset in the file, in bytes of UTF-8. */
  position: number
  /** UTF-8. */
  bytes: Buffer
  /** Whether this is the end of the file. */
  isLast: boolean
}

/** Maximum number of columns of a file. */
export const MAX_COLUMNS = 1_000
const MAX_FILE_BYTES = 256 * 1024 * 1024
/** Bytes of a file in which its header ends. */
const HEADER_BYTES = 2 * MAX_RECORD_BYTES

/**
 * Stores a part of a file. With the last one, reads the header, and the import waits for its mapping.
 *
 * @throws {ApiError} `import_not_found`; `import_uploaded`; `import_position_mismatch` if this is not the next part;
 * `import_too_large`; `wrong_header`
 */
export async function uploadChunk(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { position, bytes, isLast }: Chunk,
): Promise<Import> {
  return unitOf(em).transactional(async (unit) => {
    const found = await lockedImport(unit, workspaceId, id)
    if (found.status !== 'UPLOADING') throw new ApiError(IMPORT_UPLOADED)
    if (found.uploaded !== position)
      throw new ApiError(IMPORT_POSITION_MISMATCH, {
        message: `${IMPORT_POSITION_MISMATCH.message} Expected ${found.uploaded}, got ${position}.`,
        param: '/position',
      })
    const uploaded = position + bytes.length
    if (uploaded > MAX_FILE_BYTES) throw new ApiError(IMPORT_TOO_LARGE)
    if (bytes.length > 0) await insertChunk(unit, id, position, bytes)
    Object.assign(found, { uploaded, updatedAt: new Date() })
    if (isLast) {
      const beginning = await readBytes(unit, id, 0, HEADER_BYTES)
      Object.assign(found, await readBeginning(beginning, beginning.length === uploaded), {
        size: uploaded,
        status: 'DRAFT',
      })
    }
    await unit.flush()
    return found
  })
}

/** Skips the byte order mark and the first line `sep=;` of spreadsheets, and reads the header. @throws {ApiError} `wrong_header` */
async function readBeginning(
  bytes: Buffer,
  isLast: boolean,
): Promise<Pick<Import, 'position' | 'line' | 'delimiter' | 'header'>> {
  const [preamble = '', separator] =
    /^(?:\xef\xbb\xbf)?(?:"?sep=(.)"?\r?\n)?/i.exec(bytes.subarray(0, 64).toString('latin1')) ?? []
  const rest = bytes.subarray(preamble.length)
  const beginning = rest.subarray(0, 64 * 1024).toString('utf8')
  if (/^\s*[[{]/.test(beginning))
    throw wrong('The file is JSON. Convert it to CSV, or import it with the command line, as a file named .json.')
  const delimiter = separator ?? delimiterOf(beginning)
  const { records } = await readCsv(rest, { delimiter, isLast, most: 1 })
  const [header] = records
  if (!header) throw wrong('The file is empty')
  if (header.problem !== undefined) throw wrong(header.problem.replace('The row', 'The header'))
  if (header.cells.length > MAX_COLUMNS) throw wrong(`The header has more than ${MAX_COLUMNS} columns`)
  const fault = findJsonFault(header.cells)
  if (fault) throw wrong(`The header cannot be stored: ${fault}`)
  return {
    position: preamble.length + header.end,
    line: header.lastLine + (separator === undefined ? 0 : 1),
    delimiter,
    header: header.cells,
  }
}

const wrong = (message: string) => new ApiError(WRONG_HEADER, { message })
