import { array } from 'yup'
import { LIST_NOT_FOUND } from '../lists/index.ts'
import { listAnswer, listOf, operation, pageQuery, rangeOf, single, ok, created } from '../http/index.ts'
import { oneSpelling } from '../platform/ids.ts'
import { createImport, getImport, listErrors, listImports } from './imports.ts'
import { IMPORT_POSITION_MISMATCH, IMPORT_ENDED, IMPORT_NOT_FOUND, WRONG_HEADER } from './errors.ts'
import { assertNoJson, readHeader } from './read-header.ts'
import { importSchema, MAX_CHUNK_BYTES, pieceSchema } from './schemas.ts'
import { errorResponse, importResponse, presentError, presentImport } from './responses.ts'
import { importChunk } from './import-chunk.ts'

/** JSON writes some characters longer than they are. */
const PIECE_LIMIT = { bytes: 3 * MAX_CHUNK_BYTES, values: 100 }

export const importOperations = [
  operation({
    id: 'listImports',
    method: 'GET',
    path: '/imports',
    tag: 'Contacts',
    summary: 'List imports',
    description: 'The newest first.',
    scope: 'contacts:read',
    query: pageQuery(),
    responses: { 200: { description: 'A page of imports.', schema: listOf(array().of(importResponse).required()) } },
    async handle({ caller, query }, { em }) {
      const [imports, total] = await listImports(em, caller.workspace.id, rangeOf(query))
      return listAnswer(imports.map(presentImport), query, total)
    },
  }),

  operation({
    id: 'createImport',
    method: 'POST',
    path: '/imports',
    tag: 'Contacts',
    summary: 'Begin an import',
    description:
      'Of a file of contacts, which is brought in pieces from then on. An import starts no automation, unless it says so, and lifts no ' +
      'suppression.',
    scope: 'contacts:write',
    body: importSchema,
    responses: {
      201: {
        description: 'It waits for its first piece.',
        schema: single(importResponse),
        links: { getImport: { id: '$response.body#/data/id' }, takeImportPiece: { id: '$response.body#/data/id' } },
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
      const options = { columns, tags, as, triggers, confirmed, listId: listId == null ? null : oneSpelling(listId) }
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
    description: 'How far it is: where that breaks off, it goes on there.',
    scope: 'contacts:read',
    responses: { 200: { description: 'The import.', schema: single(importResponse) } },
    errors: { 404: [IMPORT_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      return ok(presentImport(await getImport(em, caller.workspace.id, params.id)))
    },
  }),

  operation({
    id: 'takeImportPiece',
    method: 'POST',
    path: '/imports/{id}/pieces',
    tag: 'Contacts',
    summary: 'Bring the next piece of an import',
    description:
      'A piece is done as a whole, or not at all, and once. The answer says up to where: the row at its end, which may go on, is left, and comes with ' +
      'the next piece, which begins at `position`. Whoever does not know how far it is asks.',
    scope: 'contacts:write',
    body: pieceSchema,
    bodyLimit: PIECE_LIMIT,
    // Its beginning is told: a file has a thousand pieces.
    audit: 'never',
    responses: { 200: { description: 'The import, as it is behind it.', schema: single(importResponse) } },
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
    summary: 'List what an import could not read',
    description: 'By line, the first 10,000. Mend these rows, and import them once more.',
    scope: 'contacts:read',
    query: pageQuery(),
    responses: { 200: { description: 'A page of errors.', schema: listOf(array().of(errorResponse).required()) } },
    errors: { 404: [IMPORT_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      const [errors, total] = await listErrors(em, caller.workspace.id, params.id, rangeOf(query))
      return listAnswer(errors.map(presentError), query, total)
    },
  }),
]
