import { array } from 'yup'
import { LIST_NOT_FOUND } from '../lists/index.ts'
import {
  deleted,
  deleteResultResponse,
  pageResponse,
  listOf,
  operation,
  pageQuery,
  rangeOf,
  single,
  ok,
  created,
} from '../http/index.ts'
import { unitOf } from '../platform/db/sql.ts'
import { normalizeId } from '../platform/ids.ts'
import type { ImportOptions } from './entities.ts'
import {
  createImport,
  deleteImport,
  getImport,
  listErrors,
  listImports,
  sampleImport,
  setMapping,
  startImport,
  stopImport,
  titlesOfDraft,
} from './imports.ts'
import {
  IMPORT_NOT_FOUND,
  IMPORT_NOT_RUNNING,
  IMPORT_NOT_UPLOADED,
  IMPORT_POSITION_MISMATCH,
  IMPORT_STARTED,
  IMPORT_TOO_LARGE,
  IMPORT_UPLOADED,
  MAPPING_INCOMPLETE,
  WRONG_HEADER,
  WRONG_MAPPING,
} from './errors.ts'
import { importSchema, mappingSchema, MAX_CHUNK_BYTES, chunkSchema } from './schemas.ts'
import {
  errorResponse,
  importResponse,
  mappingResponse,
  presentError,
  presentImport,
  presentMapping,
} from './responses.ts'
import { uploadChunk } from './upload.ts'

/** JSON escapes make some characters longer. */
const CHUNK_LIMIT = { bytes: 3 * MAX_CHUNK_BYTES, values: 20_000 }

type Given = { [Name in keyof ImportOptions]?: ImportOptions[Name] | null | undefined }

const toOptions = (given: Given): ImportOptions => ({
  preset: given.preset ?? null,
  columns: given.columns ?? [],
  consent: given.consent ?? null,
  listId: given.listId == null ? null : normalizeId(given.listId),
  tags: given.tags ?? [],
  triggers: given.triggers ?? false,
  confirmed: given.confirmed ?? false,
})

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
      'Creates an import for a file of contacts. Pass a small file as `text`, or upload it in chunks. Then map its columns, and start ' +
      'it: with `start`, all in this request. An import starts no automations unless `triggers` is true, and removes no suppressions.',
    scope: 'contacts:write',
    body: importSchema,
    bodyLimit: CHUNK_LIMIT,
    responses: {
      201: {
        description: 'The import: waiting for its file, a draft, or running.',
        schema: single(importResponse),
        links: {
          getImport: { id: '$response.body#/data/id' },
          uploadImportChunk: { id: '$response.body#/data/id' },
          getImportMapping: { id: '$response.body#/data/id' },
          startImport: { id: '$response.body#/data/id' },
        },
      },
    },
    errors: { 400: ['name is required', WRONG_HEADER, WRONG_MAPPING, MAPPING_INCOMPLETE], 404: [LIST_NOT_FOUND] },
    async handle({ caller, body, call }, { em }) {
      const { name, size, text, start = false, ...given } = body
      const workspaceId = caller.workspace.id
      const made = await unitOf(em).transactional(async (unit) => {
        const made = await createImport(unit, workspaceId, { name, options: toOptions(given), size }, call.id)
        if (text === undefined) return made
        const chunk = { position: 0, bytes: Buffer.from(text), isLast: true }
        const draft = await uploadChunk(unit, workspaceId, made.id, chunk)
        return start ? startImport(unit, workspaceId, made.id) : draft
      })
      return created(presentImport(made))
    },
  }),

  operation({
    id: 'getImport',
    method: 'GET',
    path: '/imports/{id}',
    tag: 'Contacts',
    summary: 'Get an import',
    description: 'Returns the progress of an import. After an interruption, continue the upload at its `position`.',
    scope: 'contacts:read',
    responses: { 200: { description: 'The import.', schema: single(importResponse) } },
    errors: { 404: [IMPORT_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      return ok(presentImport(await getImport(em, caller.workspace.id, params.id)))
    },
  }),

  operation({
    id: 'deleteImport',
    method: 'DELETE',
    path: '/imports/{id}',
    tag: 'Contacts',
    summary: 'Delete an import',
    description: 'Deletes an import with its file and its errors. Contacts that were imported stay.',
    scope: 'contacts:write',
    responses: { 200: { description: 'The import is deleted.', schema: single(deleteResultResponse) } },
    errors: { 404: [IMPORT_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      await deleteImport(em, caller.workspace.id, params.id)
      return deleted(params.id)
    },
  }),

  operation({
    id: 'uploadImportChunk',
    method: 'POST',
    path: '/imports/{id}/chunks',
    tag: 'Contacts',
    summary: 'Upload the next chunk of a file',
    description:
      'A chunk is stored as a whole, once. The response has the `position` at which the next chunk begins. If a response is lost, get ' +
      'the import to find out its position. After the last chunk, the import is a draft.',
    scope: 'contacts:write',
    body: chunkSchema,
    bodyLimit: CHUNK_LIMIT,
    // Creating the import is audited. A file can have hundreds of chunks.
    audit: 'never',
    responses: { 200: { description: 'The import after the chunk.', schema: single(importResponse) } },
    errors: {
      400: ['position is required', WRONG_HEADER, IMPORT_TOO_LARGE],
      404: [IMPORT_NOT_FOUND],
      409: [IMPORT_POSITION_MISMATCH, IMPORT_UPLOADED],
    },
    async handle({ caller, params, body }, { em }) {
      const { position, text, isLast = false } = body
      const chunk = { position, bytes: Buffer.from(text), isLast }
      return ok(presentImport(await uploadChunk(em, caller.workspace.id, params.id, chunk)))
    },
  }),

  operation({
    id: 'getImportMapping',
    method: 'GET',
    path: '/imports/{id}/mapping',
    tag: 'Contacts',
    summary: 'Get the columns of a draft',
    description:
      'Returns the columns of an uploaded file with samples, what they mean, suggestions, and what has to be decided.',
    scope: 'contacts:read',
    responses: { 200: { description: 'The columns.', schema: single(mappingResponse) } },
    errors: { 404: [IMPORT_NOT_FOUND], 409: [IMPORT_NOT_UPLOADED, IMPORT_STARTED] },
    async handle({ caller, params }, { em }) {
      const found = await getImport(em, caller.workspace.id, params.id)
      titlesOfDraft(found)
      return ok(presentMapping(found, await sampleImport(em.fork(), found)))
    },
  }),

  operation({
    id: 'setImportMapping',
    method: 'PUT',
    path: '/imports/{id}/mapping',
    tag: 'Contacts',
    summary: 'Map the columns of a draft',
    description: 'Replaces the mapping, the consent and the other options of a draft.',
    scope: 'contacts:write',
    body: mappingSchema,
    responses: { 200: { description: 'The columns.', schema: single(mappingResponse) } },
    errors: {
      400: [WRONG_MAPPING],
      404: [IMPORT_NOT_FOUND, LIST_NOT_FOUND],
      409: [IMPORT_NOT_UPLOADED, IMPORT_STARTED],
    },
    async handle({ caller, params, body }, { em }) {
      const found = await setMapping(em, caller.workspace.id, params.id, toOptions(body))
      return ok(presentMapping(found, await sampleImport(em, found)))
    },
  }),

  operation({
    id: 'startImport',
    method: 'POST',
    path: '/imports/{id}/start',
    tag: 'Contacts',
    summary: 'Start an import',
    description:
      'Starts a draft, or continues a stopped import. It does not start before every column is decided and the consent is stated.',
    scope: 'contacts:write',
    responses: { 200: { description: 'The running import.', schema: single(importResponse) } },
    errors: {
      400: [MAPPING_INCOMPLETE, WRONG_MAPPING],
      404: [IMPORT_NOT_FOUND],
      409: [IMPORT_NOT_UPLOADED, IMPORT_STARTED],
    },
    async handle({ caller, params }, { em }) {
      return ok(presentImport(await startImport(em, caller.workspace.id, params.id)))
    },
  }),

  operation({
    id: 'stopImport',
    method: 'POST',
    path: '/imports/{id}/stop',
    tag: 'Contacts',
    summary: 'Stop an import',
    description: 'Stops a running import. Rows that were imported stay. Start it again to import the rest.',
    scope: 'contacts:write',
    responses: { 200: { description: 'The stopped import.', schema: single(importResponse) } },
    errors: { 404: [IMPORT_NOT_FOUND], 409: [IMPORT_NOT_RUNNING] },
    async handle({ caller, params }, { em }) {
      return ok(presentImport(await stopImport(em, caller.workspace.id, params.id)))
    },
  }),

  operation({
    id: 'listImportErrors',
    method: 'GET',
    path: '/imports/{id}/errors',
    tag: 'Contacts',
    summary: 'List the errors of an import',
    description: 'The first 10,000 failed rows, by line. Fix these rows and import them again.',
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
