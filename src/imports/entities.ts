import { defineEntity, p } from '@mikro-orm/core'
import type { ColumnChoice, FormatName, Standing } from './formats/index.ts'

/**
 * How an import is:
 * - RUNNING: it waits for its next piece
 * - DONE: all of it is read
 * - FAILED: it is broken from some line on; what is before that is done
 */
export const IMPORT_STATUSES = ['RUNNING', 'DONE', 'FAILED'] as const
export type ImportStatus = (typeof IMPORT_STATUSES)[number]

/** How the rows of a file are read, and what is done with them. */
export interface ImportOptions {
  columns: ColumnChoice[]
  listId: string | null
  tags: string[]
  as: Standing | null
  triggers: boolean
  /** Whether the contacts have confirmed the list elsewhere. */
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

/** A file of contacts, and how far it is read. */
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

/** A row that could not be read, by the line that it begins on. It has nothing of what the row said. */
export class ImportError extends errorTable.class {}
errorTable.setClass(ImportError)
