import { findJsonFault } from '../platform/json.ts'
import { ApiError } from '../platform/api-error.ts'
import type { Import } from './entities.ts'
import { FileProblem, FORMATS, type Row } from './formats/index.ts'
import { WRONG_HEADER } from './errors.ts'

/** Maximum number of columns of a file. */
export const MAX_COLUMNS = 1_000

/** Creates a reader of rows from the header of a file. @throws {ApiError} `wrong_header` */
export function readHeader(
  format: Import['format'],
  header: readonly string[],
  options: Import['options'],
): (cells: readonly string[]) => Row {
  try {
    if (header.length > MAX_COLUMNS) throw new FileProblem(`The header has more than ${MAX_COLUMNS} columns`)
    const fault = findJsonFault(header)
    if (fault) throw new FileProblem(`The header cannot be stored: ${fault}`)
    return FORMATS[format].readHeader(header, options)
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error
    throw new ApiError(WRONG_HEADER, { message: error.message })
  }
}

/** Rejects JSON from Plunk's API, which is not CSV. @param beginning start of the file @throws {ApiError} `wrong_header` */
export function assertNoJson(format: Import['format'], beginning: string): void {
  if (format === 'plunk' && /^\s*[[{]/.test(beginning))
    throw new ApiError(WRONG_HEADER, {
      message:
        'The file is JSON, which cannot be imported in chunks. Import it with the CLI, as a file named .json ' +
        '(cli import --format plunk).',
    })
}
