import { array, boolean, object, number, string, type InferType } from 'yup'
import { count, id, timestamp, nullableText } from '../http/index.ts'
import { IMPORT_STATUSES, type Import } from './entities.ts'
import type { RowError } from './queries.ts'
import { FORMAT_NAMES, FILE_STATUSES } from './formats/index.ts'

export const importResponse = object({
  id: id('import'),
  name: string().required().meta({ example: 'customers.csv' }),
  format: string().oneOf(FORMAT_NAMES).required().meta({ example: 'csv' }),
  status: string().oneOf(IMPORT_STATUSES).required().meta({
    description: 'FAILED: the file is malformed from a certain line on. The rows before that line were imported.',
    example: 'RUNNING',
  }),
  listId: string().nullable().defined().meta({ example: null }),
  tags: array()
    .of(string().required())
    .required()
    .meta({ example: ['imported'] }),
  as: string()
    .nullable()
    .oneOf([...FILE_STATUSES, null] as const)
    .defined()
    .meta({ example: null }),
  triggers: boolean().required().meta({ example: false }),
  confirmed: boolean().required().meta({ example: false }),
  position: count('Bytes of UTF-8 read so far. The next chunk begins there.', 1_048_576),
  size: number()
    .integer()
    .nullable()
    .defined()
    .meta({ description: 'Size of the whole file in bytes of UTF-8, if given.', example: null }),
  lines: count('Number of lines read.', 20_000),
  created: count('Number of contacts created.', 19_000),
  updated: count('Number of existing contacts updated.', 998),
  suppressed: count('Number of addresses newly suppressed by this import.', 120),
  failed: count('Number of rows that could not be read or written. See the errors of the import.', 2),
  problem: nullableText('Why the import failed.'),
  createdAt: timestamp('When the import was created.'),
  finishedAt: timestamp('When the import ended.').nullable().defined(),
})
  .required()
  .meta({ component: 'Import', description: 'A file of contacts, and the progress of reading it.' })

export const presentImport = (found: Import): InferType<typeof importResponse> => ({
  id: found.id,
  name: found.name,
  format: found.format,
  status: found.status,
  listId: found.options.listId,
  tags: found.options.tags,
  as: found.options.as,
  triggers: found.options.triggers,
  confirmed: found.options.confirmed ?? false,
  position: found.position,
  size: found.size ?? null,
  lines: found.line,
  created: found.created,
  updated: found.updated,
  suppressed: found.suppressed,
  failed: found.failed,
  problem: found.problem ?? null,
  createdAt: found.createdAt.toISOString(),
  finishedAt: found.finishedAt?.toISOString() ?? null,
})

export const errorResponse = object({
  line: count('First line of the row in the file.', 17),
  problem: string().required().meta({ example: 'Invalid email address' }),
})
  .required()
  .meta({ component: 'ImportError', description: 'A row that could not be read or written.' })

export const presentError = ({ line, problem }: RowError): InferType<typeof errorResponse> => ({ line, problem })
