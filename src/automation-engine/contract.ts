import { defineQuery, defineSignal } from '@temporalio/workflow'
import type { EndStatus, EnrollmentStatus } from './enrollment.ts'
import type { Progress } from './machine.ts'
import type { MachineState } from './machine-state.ts'

/** A reason to enter an automation. It has IDs only and no personal data, because histories store it. */
export interface Entry {
  /** The enrollment's ID. Stays the same across continue-as-new and resets, which change Temporal's run ID. */
  enrollmentId: string
  /** Deduplication key, unique per automation. A second run with the same key ends without sending. */
  dedupKey: string | null
  /** The trigger event that started it, if any. */
  triggerEventId: string | null
  /** Progress according to the database, if the enrollment had lost its workflow. */
  resumeAfter?: Progress
}

/** An entry, as it is signalled to a running workflow. */
export interface Arrival extends Entry {
  /**
   * The active enrollment according to the database, if the sender has read it. A workflow that receives an ID other than its own
   * checks in the database whether it has ended, because Temporal's data may be older.
   */
  databaseHas?: string | null
}

/** The instance to which the workflow belongs. Workers of other instances ignore it. */
export interface InstanceRef {
  instanceId: string
}

/** Input of the `enrollment` workflow. */
export interface EnrollmentInput extends Entry, InstanceRef {
  /** The version of the machine's rules that the run follows. */
  engine: number
  workspaceId: string
  automationId: string
  contactId: string
  /** The key of an automation in which a contact can have several enrollments: see `enrollmentWorkflowId`. */
  concurrencyKey?: string
  /** When the starter decided to enroll: ISO 8601. */
  enrolledAt: string
  /** Milliseconds by which the test clock was ahead then. Absent for none. */
  clockAhead?: number
  /** Set by continue-as-new: the progress of the previous run. */
  progress?: EnrollmentProgress
}

/** The step that an enrollment comes to next, and when, according to the database. */
export interface DueStep {
  enrollmentId: string
  /** `null` for the end. */
  stepId: string | null
  /** Milliseconds since 1970. */
  at: number
}

interface EnrollmentProgress {
  state: MachineState
  /** Number of entries that the enrollment has received. */
  receivedCount: number
  /** Entries that are not stored in the database yet. */
  received: Entry[]
  /** Milliseconds by which waits have followed the test clock. Absent if it was never moved. */
  clockAhead?: number
  /** The last step before which a request ended the wait. */
  skipped?: DueStep
  /** Whether the enrollment can move to a newer version. */
  isMoving?: true
  /** The version of the state. The database has a newer one if the enrollment has moved and the result of that was lost. */
  version?: number
}

/** Result of the workflow: how the enrollment ended. */
export interface EnrollmentResult {
  status: Exclude<EnrollmentStatus, 'ACTIVE'> | 'NOT_ENROLLED'
}

export interface EnrollmentState {
  position: number
  paused: boolean
  wakeAt: number | null
  receivedCount: number
}

/** Signals another reason to enter, for a contact that is, or seems to be, already in the automation. */
export const enterSignal = defineSignal<[Arrival]>('enter')

/** Wakes an enrollment: its automation changed, or an event arrived for which its step waits. It checks again what to do. */
export const wakeSignal = defineSignal('wake')

/** Ends an enrollment by a rule: its goal, or an exit rule. The database has its end already. */
export const leaveSignal = defineSignal<[{ enrollmentId: string; status: EndStatus }]>('leave')

/** Ends the wait before a step early, in a test workspace. The database has the new time already. */
export const skipSignal = defineSignal<[DueStep]>('skip')

/** Moves the clock of a test workspace: by how many milliseconds it is ahead, in all. */
export const clockSignal = defineSignal<[{ clockAhead: number }]>('clock')

/** Reports that an enrollment can move to a newer version of its automation. The database knows which one, and how. */
export const moveSignal = defineSignal<[{ enrollmentId: string; version: number }]>('move')

/** Returns the state of an enrollment. */
export const stateQuery = defineQuery<EnrollmentState>('state')

/** The type of the workflow, which is started by its name. */
export type EnrollmentWorkflow = (input: EnrollmentInput) => Promise<EnrollmentResult>
