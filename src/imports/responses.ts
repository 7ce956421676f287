import { array, boolean, object, number, string, type InferType } from 'yup'
import { count, id, timestamp, nullableText } from '../http/index.ts'
import { IMPORT_STATUSES, type Import } from './entities.ts'
import type { RowError } from './queries.ts'
import { FORMAT_NAMES, STANDINGS } from './formats/index.ts'

export const importResponse = object({
  id: id('import'),
  name: string().required().meta({ example: 'customers.csv' }),
  format: string().oneOf(FORMAT_NAMES).required().meta({ example: 'csv' }),
  status: string()
    .oneOf(IMPORT_STATUSES)
    .required()
    .meta({ description: 'FAILED: broken from a line on. What is before that is done.', example: 'RUNNING' }),
  listId: string().nullable().defined().meta({ example: null }),
  tags: array()
    .of(string().required())
    .required()
    .meta({ example: ['imported'] }),
  as: string()
    .nullable()
    .oneOf([...STANDINGS, null] as const)
    .defined()
    .meta({ example: null }),
  triggers: boolean().required().meta({ example: false }),
  confirmed: boolean().required().meta({ example: false }),
  position: count('How far it is read, in bytes of UTF-8: the next piece begins there.', 1_048_576),
  size: number()
    .integer()
    .nullable()
    .defined()
    .meta({ description: 'Of the whole file, where it was said.', example: null }),
  lines: count('How many lines are read.', 20_000),
  created: count('How many contacts are new.', 19_000),
  updated: count('How many were there.', 998),
  suppressed: count('How many addresses are not mailed because of it, and were before.', 120),
  failed: count('How many rows could not be read or written: see its errors.', 2),
  problem: nullableText('Why it failed.'),
  createdAt: timestamp('When it began.'),
  finishedAt: timestamp('When it ended.').nullable().defined(),
})
  .required()
  .meta({ component: 'Import', description: 'A file of contacts, and how far it is read.' })

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
  line: count('On which line of the file the row begins.', 17),
  problem: string().required().meta({ example: 'Invalid email address' }),
})
  .required()
  .meta({ component: 'ImportError', description: 'A row that could not be read or written.' })

export const presentError = ({ line, problem }: RowError): InferType<typeof errorResponse> => ({ line, problem })
