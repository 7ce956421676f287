import { defineEntity, p } from '@mikro-orm/core'
import type { Mapping } from './mapping.ts'

/**
 * Status of an import:
 * - UPLOADING: the file is not uploaded completely
 * - DRAFT: the file is uploaded, and the import can be mapped and started
 * - RUNNING: a worker imports the rows
 * - STOPPED: a user stopped it. It can be started again, and continues where it stopped.
 * - DONE: the whole file was read
 * - FAILED: the file is malformed from a certain line on. The rows before that line were imported.
 */
export const IMPORT_STATUSES = ['UPLOADING', 'DRAFT', 'RUNNING', 'STOPPED', 'DONE', 'FAILED'] as const
type ImportStatus = (typeof IMPORT_STATUSES)[number]

/** How the rows of a file are read and applied. */
export interface ImportOptions extends Mapping {
  listId: string | null
  tags: readonly string[]
  triggers: boolean
  /** The contacts already confirmed the list in another system. */
  confirmed: boolean
}

const importTable = defineEntity({
  name: 'Import',
  tableName: 'imports',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    name: p.text(),
    status: p.text().$type<ImportStatus>(),
    options: p.json<ImportOptions>(),
    fingerprint: p.text().nullable(),
    size: p.bigint('number').nullable(),
    uploaded: p.bigint('number'),
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

const chunkTable = defineEntity({
  name: 'ImportChunk',
  tableName: 'import_chunks',
  properties: {
    importId: p.uuid().primary(),
    position: p.bigint('number').primary(),
    bytes: p.blob(),
  },
})

/** A part of an uploaded file that was not imported yet. */
export class ImportChunk extends chunkTable.class {}
chunkTable.setClass(ImportChunk)

const errorTable = defineEntity({
  name: 'ImportError',
  tableName: 'import_errors',
  properties: {
    importId: p.uuid().primary(),
    line: p.integer().primary(),
    createdAt: p.datetime(),
    problem: p.text(),
    cells: p.json<string[]>().nullable(),
  },
})

/** A row that could not be read, identified by its first line. Its cells are deleted after some days. */
export class ImportError extends errorTable.class {}
errorTable.setClass(ImportError)
