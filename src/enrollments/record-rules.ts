import type { EnrollmentWrite, NewEnrollment, RecordState } from './queries.ts'

/**
 * How an enrollment is recorded; `undefined` where it is not: the contact is gone, another enrollment has the same cause, an
 * earlier one was told of the event that would start it, or that event is forgotten. It pins the automation's version of now.
 */
export function planRecording(
  { automation, workspaceId, event, hasContact, hasHeard, isDedupKeyTaken }: RecordState,
  { triggerEventId }: Pick<EnrollmentWrite, 'triggerEventId'>,
): NewEnrollment | undefined {
  const isEventGone = triggerEventId !== null && event === null
  if (!hasContact || isEventGone || hasHeard || isDedupKeyTaken) return undefined
  const { status, version, activeVersion } = automation
  // The automation may listen for something else by now.
  const { type: trigger, key: triggerKey } = event
    ? { type: event.type, key: event.name }
    : { type: automation.trigger, key: automation.triggerKey }
  return {
    workspaceId,
    // What started it found the automation active: never a version that was not.
    version: status === 'ACTIVE' ? version : (activeVersion ?? version),
    status: 'ACTIVE',
    trigger,
    triggerKey,
    event: event?.type === 'EVENT' ? { name: event.name, data: event.data ?? {} } : null,
  }
}
