import * as enrollments from '../src/db/queries/enrollments.ts'
import type { EndStatus } from '../src/domain/enrollment.ts'
import type { ActivityDependencies } from './dependencies.ts'

export interface FinishEnrollmentInput {
  enrollmentId: string
  status: EndStatus
  seenEventIds: string[]
}

/** Records the end. @returns the event, if any, that happened after the end and so has to start the automation anew. */
export async function finishEnrollment(
  { em }: ActivityDependencies,
  { enrollmentId, status, seenEventIds }: FinishEnrollmentInput,
): Promise<{ reenterBy: string | null }> {
  const eventId = await enrollments.finishEnrollment(em.fork(), enrollmentId, status, seenEventIds)
  return { reenterBy: eventId ?? null }
}
