export { type Api, createApi } from './app.ts'
export { DEFAULT_BODY_LIMIT } from './body.ts'
export { cursor, cursorAnswer, cursorBehind, cursorListOf, cursorQuery, readCursor } from './cursor.ts'
export {
  atMost,
  boundedObject,
  count,
  filledText,
  freeObject,
  givenId,
  id,
  listAnswer,
  listOf,
  MAX_NAME_LENGTH,
  type Page,
  pageQuery,
  rangeOf,
  single,
  text,
  timestamp,
} from './fields.ts'
export { forgetIdempotencyKeys, forgetRequestsFor } from './idempotency-queries.ts'
export { compileQuickly } from './item-check.ts'
export { buildDocument } from './openapi/document.ts'
export { EXAMPLE_ID, operation, type Operation, warn } from './operation.ts'
export { parse } from './parse.ts'
export { orMeant } from './unknown-names.ts'
export { nothingToUpdate } from './refusals.ts'
export { openApiDocument, whoami } from './service-routes.ts'
export { deleted, deleteResultShape } from './shapes.ts'
export { presentWrittenTo, withoutReading, writtenShape } from './written.ts'
export { KeptAnswer } from './entities.ts'
