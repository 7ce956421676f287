import { reason, Refusal } from './refusal.ts'

/** Of what somebody has read, and changes now; `undefined`: whichever there is. */
export type Revisions = readonly string[] | undefined

export const CHANGED_MEANWHILE = reason(
  'changed',
  'changed_meanwhile',
  'This was changed since you have read it, and nothing is done: read it again, and decide',
)

/** @throws {Refusal} `changed_meanwhile` */
export function assertUnchanged(expected: Revisions, revision: number): void {
  if (expected && !expected.includes(String(revision))) throw new Refusal(CHANGED_MEANWHILE)
}
