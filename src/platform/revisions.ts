import { defineError, ApiError } from './api-error.ts'

/** Of what somebody has read, and changes now; `*`: whichever there is; `undefined`: also where there is nothing. */
export type Revisions = readonly string[] | undefined

export const REVISION_CONFLICT = defineError(
  'changed',
  'revision_conflict',
  'This was changed since you have read it, and nothing is done: read it again, and decide',
)

/** @throws {ApiError} `revision_conflict` */
export function assertUnchanged(expected: Revisions, revision: number): void {
  const isThere = revision > 0
  if (expected && !expected.includes(String(revision)) && !(isThere && expected.includes('*')))
    throw new ApiError(REVISION_CONFLICT)
}
