import * as enrollments from '../src/enrollments/index.ts'
import type { EndStatus, EnrollmentStatus, ReceivedEvents } from '../src/automation-engine/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import type { InstanceRef } from './check-instance.ts'

export interface FinishEnrollmentInput extends ReceivedEvents, InstanceRef {
  enrollmentId: string
  status: EndStatus
  /** The deduplication key with which it was started. */
  dedupKey: string | null
  enrolledAt: string
  concurrencyKey?: string
}

/** Records the end of an enrollment, and the events that it received. @returns the recorded status, if there is one */
export const finishEnrollment = (
  { em }: ActivityDependencies,
  { enrollmentId, status, dedupKey, enrolledAt, concurrencyKey, ...received }: FinishEnrollmentInput,
): Promise<EnrollmentStatus | undefined> =>
  enrollments.finishEnrollment(em.fork(), enrollmentId, status, received, {
    dedupKey,
    enrolledAt: new Date(enrolledAt),
    ...(concurrencyKey && { concurrencyKey }),
  })
