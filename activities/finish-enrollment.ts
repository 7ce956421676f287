import * as enrollments from '../src/enrollments/index.ts'
import type { EndStatus, Heard } from '../src/sequences/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import type { OfInstallation } from './own-enrollments.ts'

export interface FinishEnrollmentInput extends Heard, OfInstallation {
  enrollmentId: string
  status: EndStatus
  /** The cause that started it. */
  cause: string | null
  enrolledAt: string
}

/** Records the end of an enrollment, and what it has heard. */
export const finishEnrollment = (
  { em }: ActivityDependencies,
  { enrollmentId, status, cause, enrolledAt, ...heard }: FinishEnrollmentInput,
): Promise<void> =>
  enrollments.finishEnrollment(em.fork(), enrollmentId, status, heard, { cause, enrolledAt: new Date(enrolledAt) })
