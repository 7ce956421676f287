import { defineQuery, defineSignal } from '@temporalio/workflow'
import type { EnrollmentStatus } from './enrollment.ts'
import type { Progress } from './machine.ts'
import type { MachineState } from './machine-state.ts'

/** A reason to enter an automation: ids, and nothing personal, because histories hold it. */
export interface Entry {
  /** The enrollment that it is for. Stays the same over continue-as-new and a reset, where Temporal's run id changes. */
  enrollmentId: string
  /** What started it, unique per automation; a second run for the same cause ends without sending. */
  dedupKey: string | null
  /** The trigger event among the causes. */
  triggerEventId: string | null
  /** Set where an enrollment had lost its workflow: how far it is by the ledger. */
  resumeAfter?: Progress
}

/** Somebody who enters, as a workflow is told of it. */
export interface Arrival extends Entry {
  /**
   * The enrollment that runs by the ledger, where whoever tells has looked. A workflow that hears of another than its own
   * asks the ledger whether it is over: Temporal's data can be older.
   */
  databaseHas?: string | null
}

/** Whose it is: a worker of another instance has nothing to say about it. */
export interface OfInstance {
  instanceId: string
}

/** What the `enrollment` workflow is started with. */
export interface EnrollmentInput extends Entry, OfInstance {
  /** The version of the machine's rules that the run follows. */
  engine: number
  workspaceId: string
  automationId: string
  contactId: string
  /** When the starter decided to enroll: ISO 8601. */
  enrolledAt: string
  /** Set by continue-as-new: where the run before this one was. */
  progress?: EnrollmentProgress
}

export interface EnrollmentProgress {
  state: MachineState
  /** How many entries the enrollment has received of. */
  receivedCount: number
  /** Those that are not kept by the ledger yet. */
  received: Entry[]
}

/** How an enrollment ended: the workflow's result. */
export interface EnrollmentResult {
  status: Exclude<EnrollmentStatus, 'ACTIVE'> | 'NOT_ENROLLED'
}

export interface EnrollmentState {
  position: number
  paused: boolean
  wakeAt: number | null
  receivedCount: number
}

/** One more reason to enter, for a contact who is in the automation already, or seems to be. */
export const enterSignal = defineSignal<[Arrival]>('enter')

/** The automation changed: an enrollment that it paused has to look again. */
export const automationChangedSignal = defineSignal('automationChanged')

/** Where an enrollment is. */
export const stateQuery = defineQuery<EnrollmentState>('state')

/** The workflow's type, which is started by its name. */
export type EnrollmentWorkflow = (input: EnrollmentInput) => Promise<EnrollmentResult>
