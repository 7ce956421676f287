import {
  type EndStatus,
  type MachineState,
  outlinesOf,
  type StepOutline,
  type StoredStep,
  stopOfState,
} from '../automation-engine/index.ts'
import { readVersions } from '../automations/index.ts'
import { endActive, leaveByEarlierEvent, lockToMove, movedTo, readRecorded, setVersion } from '../enrollments/index.ts'
import { readSendingGate } from '../instance/index.ts'
import { cancelRetriesIn, dismissMessages, ENROLLMENT_ENDED, findStepMessage } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { forgetWait, recomputeWait } from '../steps/index.ts'
import { moveTo } from './move-to.ts'
import { lockRunningMove } from './queries.ts'

/** An enrollment that can move, as its workflow knows it. */
export interface MovingEnrollment {
  enrollmentId: string
  automationId: string
  contactId: string
  /** The version of the steps that the workflow runs. */
  from: number
  state: MachineState
  /** The workflow's time, in milliseconds since 1970. */
  now: number
}

/** The place where an enrollment continues after a move, or how it ended; `null` if it does not move. */
export type MoveResult =
  | { kind: 'moved'; version: number; steps: StepOutline[]; state: MachineState }
  | { kind: 'ended'; status: EndStatus }
  | null

const STEP_REMOVED = 'The step was removed before the message could be sent'

/**
 * Moves an enrollment to the version of the automation's last publication with that choice. Only the enrollment's workflow calls
 * this, between two steps, so no email of it is in flight. A repeated call returns the same again.
 */
export async function moveEnrollment(em: EntityManager, enrollment: MovingEnrollment): Promise<MoveResult> {
  return em.transactional(async (unit) => {
    const result = await move(unit, enrollment)
    if (result?.kind !== 'moved') return result
    const left = await leaveByNewRules(unit, enrollment, result.version)
    return left === undefined ? result : { kind: 'ended', status: left }
  })
}

async function move(
  em: EntityManager,
  { enrollmentId, automationId, contactId, from, state, now }: MovingEnrollment,
): Promise<MoveResult> {
  const running = await lockRunningMove(em, automationId)
  const enrollment = await lockToMove(em, { id: enrollmentId, contactId })
  if (!enrollment) return null
  if (enrollment.status !== 'ACTIVE') return { kind: 'ended', status: enrollment.status }
  // An earlier attempt has moved it, and its result was lost. The move may be over by now.
  if (enrollment.version > from) return follow(em, { automationId, from, to: enrollment.version, state, now })
  if (running?.inside !== 'MOVE') return null
  const version = Math.max(running.version, from)
  if (from === version && enrollment.version === version) return null
  if (await mayHavePassed(em, enrollment.wakesAt!)) return null
  const versions = await readVersions(em, automationId, [from, version])
  const before = versions.get(from)?.steps
  const after = versions.get(version)?.steps
  const present = before?.find(({ id }) => id === state.stepId)
  // A restored database may be older than the workflow.
  if (!before || !after || !present) return null
  const moved = moveTo(before, after, state, { removedSteps: running.removedSteps, now })
  if (moved.kind === 'ends' && moved.status === 'CANCELLED') {
    await endActive(em, enrollmentId, 'CANCELLED', { cause: 'STEP_REMOVED', version })
    await cancelRetriesIn(em, [enrollmentId])
    await dismissMessages(em, { enrollmentIds: [enrollmentId] }, ENROLLMENT_ENDED)
    return { kind: 'ended', status: 'CANCELLED' }
  }
  if (moved.kind === 'continues' || moved.kind === 'ends') await leaveRemoved(em, enrollmentId, present)
  if (moved.kind === 'ends') {
    const nowhere = movedTo(after, { stepId: null, wakeAt: null, arrives: true }, [], now)
    const stop = { stepId: null, at: new Date(now) }
    await setVersion(em, enrollmentId, { version, stop, movedTo: nowhere, paused: false })
    return { kind: 'ended', status: moved.status }
  }
  const arrives = moved.kind === 'continues'
  const dueAt = !arrives && enrollment.nextStepId === moved.state.stepId ? enrollment.wakesAt! : new Date(now)
  await setVersion(em, enrollmentId, {
    version,
    stop: stopOfState(after, moved.state, moved.kind === 'reruns' ? new Date(now) : dueAt),
    movedTo: movedTo(after, { ...moved.state, arrives }, enrollment.passed, now),
    paused: moved.state.paused,
  })
  if (moved.kind === 'reruns') await recomputeWait(em, enrollmentId, present)
  return { kind: 'moved', version, steps: outlinesOf(after), state: moved.state }
}

/** Ends what a removed step had begun. */
async function leaveRemoved(em: EntityManager, enrollmentId: string, { id: stepId, type }: StoredStep): Promise<void> {
  // If a later version has the step again, it is a new wait.
  if (type === 'WAIT_UNTIL' || type === 'WAIT_FOR_EVENT') return forgetWait(em, enrollmentId, stepId)
  const message = type === 'EMAIL' ? await findStepMessage(em, { enrollmentId, stepId }) : undefined
  if (message) await dismissMessages(em, { ids: [message.id] }, STEP_REMOVED)
}

/**
 * Returns whether the original of a restored database may have passed the step that an enrollment comes to at `at`. The enrollment first
 * finishes that step in its version, where it is known when the step was due.
 */
async function mayHavePassed(em: EntityManager, at: Date): Promise<boolean> {
  const { isOpen, lostUntil } = await readSendingGate(em)
  return !isOpen || (lostUntil !== null && at <= lostUntil)
}

/** Returns where an enrollment continues that an earlier attempt has moved. Changes nothing. */
async function follow(
  em: EntityManager,
  of: Pick<MovingEnrollment, 'automationId' | 'from' | 'state' | 'now'> & { to: number },
): Promise<MoveResult> {
  const versions = await readVersions(em, of.automationId, [of.from, of.to])
  const before = versions.get(of.from)?.steps
  const after = versions.get(of.to)?.steps
  // A restored database may be older than the workflow.
  if (!before?.some(({ id }) => id === of.state.stepId) || !after) return null
  // If a removed step had ended it, it would not be active.
  const moved = moveTo(before, after, of.state, { removedSteps: 'CONTINUE', now: of.now })
  if (moved.kind === 'ends') return { kind: 'ended', status: moved.status }
  return { kind: 'moved', version: of.to, steps: outlinesOf(after), state: moved.state }
}

/** Ends an enrollment if the contact has already had the event of a goal or an exit rule of the new version. */
async function leaveByNewRules(
  em: EntityManager,
  { enrollmentId, automationId }: MovingEnrollment,
  version: number,
): Promise<EndStatus | undefined> {
  const rules = (await readVersions(em, automationId, [version])).get(version)
  if (!rules || (rules.exitOn.length === 0 && !rules.goal)) return undefined
  const recorded = await readRecorded(em, enrollmentId)
  return recorded && leaveByEarlierEvent(em, { enrollmentId, ...recorded })
}
