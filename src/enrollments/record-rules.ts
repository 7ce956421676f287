import { mayReenter } from './entry-rules.ts'
import type { EnrollmentWrite, NewEnrollment, RecordState } from './queries.ts'

/**
 * Decides how an enrollment is recorded, or the rule that keeps the contact out; `undefined` if there is nothing to record: the
 * contact or the event is deleted, another enrollment has the same deduplication key, or an earlier one processed the event. Pins
 * the automation's current version.
 */
export function planRecording(
  {
    automation,
    workspaceId,
    event,
    hasContact,
    hasProcessed,
    isDedupKeyTaken,
    reentry,
    lastEnrolledAt,
    keyPath,
  }: RecordState,
  { triggerEventId, enrolledAt }: Pick<EnrollmentWrite, 'triggerEventId' | 'enrolledAt'>,
): NewEnrollment | { refusedBy: 'REENTRY' } | undefined {
  const isEventGone = triggerEventId !== null && event === null
  if (!hasContact || isEventGone || hasProcessed || isDedupKeyTaken) return undefined
  // Two events or calls can be admitted at the same time, and the enrollment of the first one can end before the second starts.
  if (lastEnrolledAt !== null && !mayReenter(reentry ?? undefined, lastEnrolledAt, enrolledAt))
    return { refusedBy: 'REENTRY' }
  const { status, version, activeVersion } = automation
  // The automation may have another trigger by now.
  const { type: trigger, key: triggerKey } = event
    ? { type: event.type, key: event.name }
    : { type: automation.trigger, key: automation.triggerKey }
  return {
    workspaceId,
    // The automation was active when it was triggered, so never use a version that was not active.
    version: status === 'ACTIVE' ? version : (activeVersion ?? version),
    status: 'ACTIVE',
    endedBy: null,
    trigger,
    triggerKey,
    event: event?.type === 'EVENT' ? { name: event.name, data: event.data ?? {} } : null,
    depth: event?.depth ?? 0,
    keyPath,
  }
}
