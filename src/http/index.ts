export { auditEntryOf } from './audit-request.ts'
export { type AddProtocol, type Api, createApi } from './app.ts'
export { type Caller, type CallingPerson, nameOf, WORKSPACE_MODES, type WorkspaceMode } from './caller.ts'
export { DEFAULT_RATE_LIMIT, type RateLimit } from './rate-limit.ts'
export { type Role, ROLES } from './roles.ts'
export { type Scope, SCOPES } from './scopes.ts'
export type { ApiDependencies } from './dependencies.ts'
export { BULK_BODY_LIMIT, DEFAULT_BODY_LIMIT, readBody, readBytes } from './body.ts'
export { checkItems } from './check-items.ts'
export { cursor, cursorPage, cursorAfter, cursorListOf, cursorQuery, readCursor } from './cursor.ts'
export {
  atMost,
  boundedObject,
  count,
  created,
  filledText,
  freeObject,
  givenId,
  id,
  pageResponse,
  listOf,
  MAX_NAME_LENGTH,
  nullableText,
  ok,
  type Page,
  pageLimit,
  pageQuery,
  rangeOf,
  single,
  text,
  instant,
  timestamp,
} from './fields.ts'
export type { AccountsRequest } from './operation.ts'
export type { FinishedRequest, RecordRequest } from './finished-request.ts'
export type { SendTestEmail, ServiceStatus } from './service-status.ts'
export {
  type AuthenticateKey,
  type AuthenticateSession,
  sessionCookie,
  stateCookie,
  type SignedIn,
  type Visitor,
} from './visitor.ts'
export { forgetIdempotencyKeys, eraseRequests, shortenRequestLeases } from './idempotency-queries.ts'
export { readForm } from './form.ts'
export { buildDocument } from './openapi/document.ts'
export { describeRequest, isRequired } from './openapi/json-schema.ts'
export {
  accountOperation,
  type CheckedRequest,
  EXAMPLE_ID,
  openOperation,
  operation,
  type Operation,
  type OperationResponse,
  paramsOf,
  warn,
} from './operation.ts'
export { assertMayUse } from './middleware/authorize.ts'
export type { RunOperation } from './run-operation.ts'
export { type ApiContext, callerOf } from './state.ts'
export type { ToApiError } from './to-api-error.ts'
export { wrongMethod } from './wrong-method.ts'
export { type Given, parse } from './parse.ts'
export { pointerTo } from './pointer.ts'
export { assertScope } from './assert-scope.ts'
export { KEY_ERRORS, KEYS_ONLY, missingRole, missingScope, nothingToUpdate, RECENT_SIGN_IN_REQUIRED } from './errors.ts'
export { getService, openApiDocument, whoami } from './service-routes.ts'
export { deleted, deleteResultResponse } from './responses.ts'
export { presentForWriter, writeOnlyNote, writtenResponse } from './write-only-response.ts'
export { StoredResponse } from './entities.ts'
export { etagOf } from './if-match.ts'
