import { defineEntity, p } from '@mikro-orm/core'
import type { ColumnChoice, FormatName, FileStatus } from './formats/index.ts'

/**
 * Status of an import:
 * - RUNNING: waits for its next chunk
 * - DONE: the whole file was read
 * - FAILED: the file is malformed from a certain line on. The rows before that line were imported.
 */
export const IMPORT_STATUSES = ['RUNNING', 'DONE', 'FAILED'] as const
export type ImportStatus = (typeof IMPORT_STATUSES)[number]

/** Options for reading and applying the rows of a file. */
export interface ImportOptions {
  columns: ColumnChoice[]
  listId: string | null
  tags: string[]
  as: FileStatus | null
  triggers: boolean
  /** The contacts already confirmed the list in another system. */
  confirmed?: boolean
}

const importTable = defineEntity({
  name: 'Import',
  tableName: 'imports',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    name: p.text(),
    format: p.text().$type<FormatName>(),
    status: p.text().$type<ImportStatus>(),
    options: p.json<ImportOptions>(),
    fingerprint: p.text().nullable(),
    size: p.bigint('number').nullable(),
    position: p.bigint('number'),
    line: p.integer(),
    delimiter: p.text().nullable(),
    header: p.json<string[]>().nullable(),
    created: p.integer(),
    updated: p.integer(),
    suppressed: p.integer(),
    failed: p.integer(),
    problem: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
})

/** A file of contacts, and the progress of reading it. */
export class Import extends importTable.class {}
importTable.setClass(Import)

const errorTable = defineEntity({
  name: 'ImportError',
  tableName: 'import_errors',
  properties: {
    importId: p.uuid().primary(),
    line: p.integer().primary(),
    problem: p.text(),
  },
})

/** A row that could not be read, identified by its first line. No data of the row is stored. */
export class ImportError extends errorTable.class {}
errorTable.setClass(ImportError)
