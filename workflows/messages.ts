import { defineQuery, defineSignal } from '@temporalio/workflow'
import type { EnrollmentStatus } from '../src/domain/enrollment.ts'
import type { StepOutline } from '../src/domain/steps.ts'
import type { Trigger } from '../src/domain/triggers.ts'

/** What the `enrollment` workflow is started with: ids, and nothing personal (design, section 5). */
export interface EnrollmentInput {
  /** Stays the same over continue-as-new and a reset, where Temporal's run id changes. */
  enrollmentId: string
  workspaceId: string
  automationId: string
  contactId: string
  /** When the starter decided to enroll: ISO 8601. */
  enrolledAt: string
  /** What started it, unique per automation; a second run for the same cause ends without sending. */
  cause: string | null
  /** The trigger event among the causes. */
  triggerEventId: string | null
  /** Set by continue-as-new: where the run before this one was. */
  progress?: EnrollmentProgress
}

export interface EnrollmentProgress {
  automationName: string
  steps: StepOutline[]
  position: number
  /** When the wait that the enrollment is in ends: milliseconds since 1970. */
  wakeAt: number | null
  /** How many trigger events the enrollment has been told of. */
  eventCount: number
  /** The last of them, each with the enrollment that it would start should this one be over. */
  recentEvents: SeenEvent[]
}

export interface SeenEvent {
  id: string
  enrollmentId: string
}

export interface TriggerEventSignal extends SeenEvent {
  type: Trigger
}

/** How an enrollment ended: the workflow's result. */
export interface EnrollmentResult {
  status: Exclude<EnrollmentStatus, 'ACTIVE'> | 'NOT_ENROLLED'
}

export interface EnrollmentState {
  position: number
  held: boolean
  wakeAt: number | null
  eventCount: number
}

/** Something happened to the contact that this automation listens for. Ids only: the event itself is in the database. */
export const triggerEventSignal = defineSignal<[TriggerEventSignal]>('triggerEvent')

/** The automation changed: an enrollment that it held has to look again. */
export const automationChangedSignal = defineSignal('automationChanged')

/** Where an enrollment is. */
export const stateQuery = defineQuery<EnrollmentState>('state')
