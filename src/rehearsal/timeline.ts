import type { EndStatus } from '../automation-engine/index.ts'
import type { SuppressedBy } from '../contacts/index.ts'
import type { ExitRule } from '../automations/index.ts'

/** The reason why a rehearsed contact does not enter: a rule of the automation, or they are in it already. */
export type Refusal = 'FILTER' | 'REENTRY' | 'KEY' | 'ALREADY_ENROLLED'

/** Something that happens to a rehearsed contact. `at` and `until` are milliseconds since 1970. */
export type TimelineEntry = { at: number } & (
  | { type: 'ENTERED' }
  | { type: 'REFUSED'; rule: Refusal }
  /** `suppressedBy` says why the email is not sent. */
  | { type: 'EMAIL'; stepId: string; suppressedBy: SuppressedBy | null }
  | { type: 'WAIT'; stepId: string; until: number }
  /** A step chose a branch: an index, or one of `else`, `received`, `timedOut`. */
  | { type: 'BRANCH'; stepId: string; branch: string }
  /** A change of the contact, which is not made. */
  | { type: 'CHANGE'; stepId: string }
  /** A webhook, which is not called. */
  | { type: 'WEBHOOK'; stepId: string }
  /** An event of the contact that a step waits for, or by which they leave. */
  | { type: 'EVENT'; name: string }
  /** `rule` is the exit rule or goal by which they left. */
  | { type: 'ENDED'; status: EndStatus; rule: ExitRule | null }
  /** The rehearsed period ended first. */
  | { type: 'UNFINISHED' }
)

type TimelineType = TimelineEntry['type']
export const TIMELINE_TYPES = [
  'ENTERED',
  'REFUSED',
  'EMAIL',
  'WAIT',
  'BRANCH',
  'CHANGE',
  'WEBHOOK',
  'EVENT',
  'ENDED',
  'UNFINISHED',
] as const satisfies readonly TimelineType[]
