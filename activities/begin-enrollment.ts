import { leaveByEarlierEvent, mayBeAheadOfTemporal, readRecorded, recordEnrollment } from '../src/enrollments/index.ts'
import { outlinesOf, placeOf, type StepOutline } from '../src/automation-engine/index.ts'
import { readClockAhead } from '../src/workspaces/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import type { InstanceRef } from './check-instance.ts'

export interface BeginEnrollmentInput extends InstanceRef {
  enrollmentId: string
  automationId: string
  contactId: string
  concurrencyKey?: string
  dedupKey: string | null
  triggerEventId: string | null
  enrolledAt: string
}

export interface BegunEnrollment {
  automationName: string
  steps: StepOutline[]
  /** The version of the steps. Absent in histories of Dripline 0.3. */
  version?: number
  /** Milliseconds by which the clock of the test workspace is ahead. Absent for none. */
  clockAhead?: number
}

/**
 * Records the enrollment, unless its starter has, and reads the steps of its version.
 *
 * @returns `null` if there is nothing to do: the automation or the contact was deleted, the start was a duplicate, or the
 *   enrollment has ended (the run was reset to its beginning)
 */
export async function beginEnrollment(
  { em }: ActivityDependencies,
  input: BeginEnrollmentInput,
): Promise<BegunEnrollment | null> {
  const record = () =>
    recordEnrollment(em.fork(), {
      id: input.enrollmentId,
      ...placeOf(input),
      dedupKey: input.dedupKey,
      triggerEventId: input.triggerEventId,
      enrolledAt: new Date(input.enrolledAt),
    })
  const read = () => readRecorded(em.fork(), input.enrollmentId)
  let enrollment = await read()
  if (!enrollment) {
    const status = await record()
    if (!status && input.triggerEventId) {
      if (await mayBeAheadOfTemporal(em.fork(), input.enrollmentId, input.triggerEventId)) {
        throw new Error(
          'The restored database does not know the event that started this enrollment; retrying until it is reconciled',
        )
      }
      // It may have been recorded between the two reads.
      await record()
    }
    enrollment = await read()
  }
  if (enrollment?.status !== 'ACTIVE') return null
  const { enrollmentId } = input
  if (hasLeaveRules(enrollment) && (await leaveByEarlierEvent(em.fork(), { enrollmentId, ...enrollment }))) return null
  const clockAhead = await readClockAhead(em.fork(), enrollment.workspaceId)
  return {
    automationName: enrollment.automationName,
    steps: outlinesOf(enrollment.steps),
    version: enrollment.version,
    ...(clockAhead > 0 && { clockAhead }),
  }
}

const hasLeaveRules = ({ exitOn, goal }: { exitOn: readonly unknown[]; goal: unknown }): boolean =>
  exitOn.length > 0 || goal !== null
