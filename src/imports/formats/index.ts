import { csv } from './csv.ts'
import type { Format } from './format.ts'
import { listmonk } from './listmonk.ts'
import { mailchimp } from './mailchimp.ts'
import { plunk } from './plunk.ts'

/** Supported file formats. To add one, create a file in this folder and list it here. */
export const FORMATS = { csv, listmonk, mailchimp, plunk } as const satisfies Record<string, Format>
export const FORMAT_NAMES = Object.keys(FORMATS) as (keyof typeof FORMATS)[]
export type FormatName = keyof typeof FORMATS

export { isField } from './csv.ts'
export {
  addressIn,
  type ColumnChoice,
  FileProblem,
  type OptOut,
  type Row,
  RowProblem,
  type FileStatus,
  UnclearRow,
  FILE_STATUSES,
} from './format.ts'
export { plunkToCsv } from './plunk-json.ts'
