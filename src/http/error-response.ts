import type { ApiError, ErrorKind } from '../platform/api-error.ts'
import type { OperationResponse } from './operation.ts'

/** HTTP status of each kind of error. */
export const STATUSES = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'wrong-method': 405,
  taken: 409,
  'in-flight': 409,
  erased: 410,
  changed: 412,
  'other-request': 422,
  'rate-limited': 429,
  failed: 500,
  unavailable: 503,
} as const satisfies Record<ErrorKind, number>

/** The response for an error. */
export const responseToError = ({ kind, code, param, message }: ApiError): OperationResponse => ({
  status: STATUSES[kind],
  headers: { 'X-Error-Code': code, ...(param === undefined ? {} : { 'X-Error-Param': param }) },
  body: { error: message },
})
