import { defineError, ApiError } from './api-error.ts'

/** The revisions that a change may apply to; `*`: any existing one; `undefined`: no condition. */
export type Revisions = readonly string[] | undefined

export const REVISION_CONFLICT = defineError(
  'changed',
  'revision_conflict',
  'This was changed since you read it, so nothing was done. Read it again, then decide.',
)

/** @throws {ApiError} `revision_conflict` */
export function assertUnchanged(expected: Revisions, revision: number): void {
  const isThere = revision > 0
  if (expected && !expected.includes(String(revision)) && !(isThere && expected.includes('*')))
    throw new ApiError(REVISION_CONFLICT)
}
