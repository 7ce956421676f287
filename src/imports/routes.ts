import { array } from 'yup'
import { LIST_NOT_FOUND } from '../lists/index.ts'
import { pageResponse, listOf, operation, pageQuery, rangeOf, single, ok, created } from '../http/index.ts'
import { normalizeId } from '../platform/ids.ts'
import { createImport, getImport, listErrors, listImports } from './imports.ts'
import { IMPORT_POSITION_MISMATCH, IMPORT_ENDED, IMPORT_NOT_FOUND, WRONG_HEADER } from './errors.ts'
import { assertNoJson, readHeader } from './read-header.ts'
import { importSchema, MAX_CHUNK_BYTES, chunkSchema } from './schemas.ts'
import { errorResponse, importResponse, presentError, presentImport } from './responses.ts'
import { importChunk } from './import-chunk.ts'

/** JSON escapes make some characters longer. */
const PIECE_LIMIT = { bytes: 3 * MAX_CHUNK_BYTES, values: 100 }

export const importOperations = [
  operation({
    id: 'listImports',
    method: 'GET',
    path: '/imports',
    tag: 'Contacts',
    summary: 'List imports',
    description: 'Newest first.',
    scope: 'contacts:read',
    query: pageQuery(),
    responses: { 200: { description: 'A page of imports.', schema: listOf(array().of(importResponse).required()) } },
    async handle({ caller, query }, { em }) {
      const [imports, total] = await listImports(em, caller.workspace.id, rangeOf(query))
      return pageResponse(imports.map(presentImport), query, total)
    },
  }),

  operation({
    id: 'createImport',
    method: 'POST',
    path: '/imports',
    tag: 'Contacts',
    summary: 'Create an import',
    description:
      'Creates an import for a file of contacts, which you then upload in chunks. An import starts no automations unless ' +
      '`triggers` is true, and removes no suppressions.',
    scope: 'contacts:write',
    body: importSchema,
    responses: {
      201: {
        description: 'The import, waiting for its first chunk.',
        schema: single(importResponse),
        links: { getImport: { id: '$response.body#/data/id' }, uploadImportChunk: { id: '$response.body#/data/id' } },
      },
    },
    errors: { 400: ['name is required', WRONG_HEADER], 404: [LIST_NOT_FOUND] },
    async handle({ caller, body, call }, { em }) {
      const {
        name,
        format = 'csv',
        columns = [],
        tags = [],
        listId,
        as = null,
        triggers = false,
        confirmed = false,
        size,
        header,
      } = body
      const options = { columns, tags, as, triggers, confirmed, listId: listId == null ? null : normalizeId(listId) }
      if (header) {
        assertNoJson(format, header[0] ?? '')
        readHeader(format, header, options)
      }
      const made = await createImport(em, caller.workspace.id, { name, format, options, size }, call.id)
      return created(presentImport(made))
    },
  }),

  operation({
    id: 'getImport',
    method: 'GET',
    path: '/imports/{id}',
    tag: 'Contacts',
    summary: 'Get an import',
    description: 'Returns the progress of an import. After an interruption, continue at its `position`.',
    scope: 'contacts:read',
    responses: { 200: { description: 'The import.', schema: single(importResponse) } },
    errors: { 404: [IMPORT_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      return ok(presentImport(await getImport(em, caller.workspace.id, params.id)))
    },
  }),

  operation({
    id: 'uploadImportChunk',
    method: 'POST',
    path: '/imports/{id}/chunks',
    tag: 'Contacts',
    summary: 'Upload the next chunk of an import',
    description:
      'A chunk is applied as a whole, once. The response has the `position` at which the next chunk begins: an incomplete row at ' +
      'the end of a chunk is left for the next one. If a response is lost, get the import to find out its position.',
    scope: 'contacts:write',
    body: chunkSchema,
    bodyLimit: PIECE_LIMIT,
    // Creating the import is audited. A file can have a thousand chunks.
    audit: 'never',
    responses: { 200: { description: 'The import after the chunk.', schema: single(importResponse) } },
    errors: {
      400: ['position is required', WRONG_HEADER],
      404: [IMPORT_NOT_FOUND],
      409: [IMPORT_POSITION_MISMATCH, IMPORT_ENDED],
    },
    async handle({ caller, params, body, call }, dependencies) {
      const { position, text, isLast = false } = body
      const piece = { position, bytes: Buffer.from(text), isLast }
      const found = await importChunk(dependencies, caller.workspace.id, params.id, piece, call)
      return ok(presentImport(found))
    },
  }),

  operation({
    id: 'listImportErrors',
    method: 'GET',
    path: '/imports/{id}/errors',
    tag: 'Contacts',
    summary: 'List the errors of an import',
    description: 'The first 10,000 errors, by line. Fix these rows and import them again.',
    scope: 'contacts:read',
    query: pageQuery(),
    responses: { 200: { description: 'A page of errors.', schema: listOf(array().of(errorResponse).required()) } },
    errors: { 404: [IMPORT_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      const [errors, total] = await listErrors(em, caller.workspace.id, params.id, rangeOf(query))
      return pageResponse(errors.map(presentError), query, total)
    },
  }),
]
