import { newId } from '../domain/ids.ts'

/** The request that a service works for. */
export interface Call {
  /** Names what the call makes: every attempt of a call that is repeated with its Idempotency-Key has the same. */
  id: string
  /** Whether an earlier attempt may have done some of it already. */
  retried: boolean
  /** What its log lines and the memos of its enrollments say. */
  requestId: string | null
}

/** A call that nobody has made before. */
export const newCall = (requestId: string | null = null): Call => ({ id: newId(), retried: false, requestId })
