import * as enrollments from '../src/enrollments/index.ts'
import { type EndStatus, type EnrollmentStatus, placeOf, type ReceivedEvents } from '../src/automation-engine/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import type { InstanceRef } from './check-instance.ts'

export interface FinishEnrollmentInput extends ReceivedEvents, InstanceRef {
  enrollmentId: string
  status: EndStatus
  by: enrollments.WorkflowEnd
  /** The deduplication key with which it was started. */
  dedupKey: string | null
  enrolledAt: string
  concurrencyKey?: string
}

/** Records the end of an enrollment, and the events that it received. @returns the recorded status, if there is one */
export const finishEnrollment = (
  { em }: ActivityDependencies,
  { enrollmentId, status, by, dedupKey, enrolledAt, concurrencyKey, ...received }: FinishEnrollmentInput,
): Promise<EnrollmentStatus | undefined> =>
  enrollments.finishEnrollment(em.fork(), { status, by }, received.eventIds, {
    id: enrollmentId,
    ...placeOf({ ...received, ...(concurrencyKey && { concurrencyKey }) }),
    dedupKey,
    enrolledAt: new Date(enrolledAt),
  })
