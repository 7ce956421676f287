import { parse } from '../http/index.ts'
import { invalid } from '../platform/api-error.ts'
import { findJsonFault } from '../platform/json.ts'
import { schemaOfType, type SourceCall, WRONG_TYPE } from './schemas.ts'

/** Validates one call. @throws {ApiError} `invalid_request` with the reason */
export function checkCall(given: unknown): SourceCall {
  const fault = findJsonFault(given)
  if (fault) throw invalid(fault)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalid('The item must be an object')
  const schema = schemaOfType((given as { type?: unknown }).type)
  if (!schema) throw invalid(WRONG_TYPE, '/type')
  return parse(schema, { ...given, ...numericIds(given as Record<string, unknown>) })
}

const IDS = ['userId', 'previousId', 'groupId'] as const

/** IDs that were sent as numbers, as texts. Databases number their users, and libraries do not check the type. */
const numericIds = (given: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    IDS.flatMap((name) => (Number.isSafeInteger(given[name]) ? [[name, String(given[name] as number)] as const] : [])),
  )

/** Reads the messageId of a call that may be invalid, for its error. */
export function messageIdOf(given: unknown): string | null {
  const { messageId } = (given ?? {}) as { messageId?: unknown }
  return typeof messageId === 'string' && messageId !== '' ? messageId.slice(0, 200).toWellFormed() : null
}
