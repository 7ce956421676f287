import * as enrollments from '../src/enrollments/index.ts'
import type { EndStatus, ReceivedEvents } from '../src/automation-engine/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import type { InstanceRef } from './check-instance.ts'

export interface FinishEnrollmentInput extends ReceivedEvents, InstanceRef {
  enrollmentId: string
  status: EndStatus
  /** The deduplication key with which it was started. */
  dedupKey: string | null
  enrolledAt: string
}

/** Records the end of an enrollment, and the events that it received. */
export const finishEnrollment = (
  { em }: ActivityDependencies,
  { enrollmentId, status, dedupKey, enrolledAt, ...received }: FinishEnrollmentInput,
): Promise<void> =>
  enrollments.finishEnrollment(em.fork(), enrollmentId, status, received, {
    dedupKey,
    enrolledAt: new Date(enrolledAt),
  })
