import { reason, Refusal } from './refusal.ts'

/** Of what somebody has read, and changes now; `*`: whichever there is; `undefined`: also where there is nothing. */
export type Revisions = readonly string[] | undefined

export const CHANGED_MEANWHILE = reason(
  'changed',
  'changed_meanwhile',
  'This was changed since you have read it, and nothing is done: read it again, and decide',
)

/** @throws {Refusal} `changed_meanwhile` */
export function assertUnchanged(expected: Revisions, revision: number): void {
  const isThere = revision > 0
  if (expected && !expected.includes(String(revision)) && !(isThere && expected.includes('*')))
    throw new Refusal(CHANGED_MEANWHILE)
}
