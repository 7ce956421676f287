export { enterByEvent } from './enter-by-event.ts'
export { readStarts, type Start } from './start-queries.ts'
export { MAX_RECORDS_PER_BATCH } from './enroll-contact.ts'
export {
  deleteEnrollments,
  endActive,
  enrollmentPage,
  findEnrollment,
  mayBeAheadOfTemporal,
  readRecorded,
} from './queries.ts'
export { endWithoutStep, finishEnrollment, recordEnrollment, recordProcessedEvents } from './record-enrollment.ts'
export { type ActiveEnrollment, activePage, activePlaces, statusesOf } from './active-queries.ts'
export { reconcileEnrollment, type Reconciled, isStillEnrolled } from './reconcile-enrollments.ts'
export { AutomationCounts, Enrollment } from './entities.ts'
export type { EndCause, OtherCause, WorkflowEnd } from './end-cause.ts'
export { endOutdated, endRows } from './end-queries.ts'
export { eraseEnrollments } from './erase-enrollments.ts'
export { lockEnrollmentsOf } from './erase-queries.ts'
export { keepWaiting, advanceEnrollment } from './advance-queries.ts'
export { lastInVersion, movedTo } from './moved-to.ts'
export { isReachedBy, type KeyedEnrollment, MAX_KEY_LENGTH, mayReenter } from './entry-rules.ts'
export { conditionRules, eventRules, type LeaveRule } from './leave-rules.ts'
export { decideEntries } from './decide-entries.ts'
export { leaveByCondition, leaveByEarlierEvent, leaveByEvent, leaveByOptOut } from './leave.ts'
export { leaveByConditions } from './leave-sweep.ts'
export { statusOf } from './leave-queries.ts'
export { recountEnrollments } from './changes-queries.ts'
export { NOT_ENROLLED } from './errors.ts'
export { hasActive } from './queries.ts'
export { bringForward, dueStepOf, endWaits, passedAt } from './advance-queries.ts'
export { recountPositions } from './recount-positions.ts'
export { pauseEnrollment, sendStep } from './send-step.ts'
export { lockEnrollments } from './step-queries.ts'
export { stepSource } from './step-source.ts'
export {
  countOutdated,
  lockToMove,
  type OutdatedPosition,
  outdatedPage,
  outdatedPositions,
  setVersion,
} from './version-queries.ts'
