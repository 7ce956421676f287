import { buildDocument } from './openapi/document.ts'
import type { Operation } from './operation.ts'
import { automationOperations } from './routes/automations.ts'
import { contactOperations } from './routes/contacts.ts'
import { listOperations } from './routes/lists.ts'
import { segmentOperations } from './routes/segments.ts'
import { openApiDocument, whoami } from './routes/service.ts'

/** The version prefix (specification, section 9). */
export const BASE_PATH = '/api/v1'

/** Every operation of the API. */
export const operations: readonly Operation[] = [
  whoami,
  openApiDocument(() => document),
  ...contactOperations,
  ...listOperations,
  ...segmentOperations,
  ...automationOperations,
]

/** What `GET /openapi.json` answers. */
export const document = buildDocument(operations, BASE_PATH)
