export { createImmediateDelivery, deliver } from './deliver.ts'
export { MAX_RECORDS_PER_BATCH } from './enroll-contact.ts'
export {
  deleteEnrollments,
  type DeleteRuns,
  enrollmentPage,
  findEnrollment,
  mayBeAheadOfTemporal,
  readRecorded,
} from './queries.ts'
export { endWithoutStep, finishEnrollment, recordEnrollment, recordProcessedEvents } from './record-enrollment.ts'
export { type ActiveEnrollment, activePage, statusesOf } from './active-queries.ts'
export { reconcileEnrollment, type Reconciled, isStillEnrolled } from './reconcile-enrollments.ts'
export { AutomationCounts, Enrollment } from './entities.ts'
export type { EndCause, OtherCause, WorkflowEnd } from './end-cause.ts'
export { type EndedContact, endRows } from './end-queries.ts'
export { eraseEnrollments } from './erase-enrollments.ts'
export { lockEnrollmentsOf } from './erase-queries.ts'
export { keepWaiting, moveEnrollment } from './move-queries.ts'
export { isReachedBy, type KeyedEnrollment } from './entry-rules.ts'
export { decideEntries } from './decide-entries.ts'
export { leaveByCondition, leaveByEarlierEvent, leaveByEvent } from './leave.ts'
export { leaveByConditions } from './leave-sweep.ts'
export { statusOf } from './leave-queries.ts'
export { recountPositions } from './recount-positions.ts'
export { pauseEnrollment, sendStep } from './send-step.ts'
export { lockEnrollments } from './step-queries.ts'
export { stepSource } from './step-source.ts'
