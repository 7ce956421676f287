import { lockAutomationsShared } from '../automations/index.ts'
import { readRecipients } from '../contacts/index.ts'
import { mayBeLost } from '../instance/index.ts'
import {
  expireLease,
  finalMessagesOf,
  findStepMessage,
  logOutcome,
  MAY_HAVE_BEEN_SENT_ERROR,
  type WaitLimit,
  type Prepared,
  preparedFrom,
  readSendSettings,
  type SendDependencies,
  SENDER_STOPPED_ERROR,
  Sending,
  type SendSettings,
  type SendResult,
  type StepRef,
  type StoredMessage,
  withGroups,
} from '../messages/index.ts'
import { timeIn } from '../workspaces/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { waits } from '../platform/waits.ts'
import { canSend } from '../automation-engine/index.ts'
import { dueTime } from './due-time.ts'
import { leaveByCondition } from './leave.ts'
import { advanceEnrollment, passedAt } from './advance-queries.ts'
import { type EmailStep, pauseActive, readEmailStep, readTimeline } from './step-queries.ts'
import { endWithoutStep } from './record-enrollment.ts'
import { contextOf } from './step-source.ts'

/** Milliseconds by which the clocks of a workflow and of Postgres may differ. */
const CLOCK_SKEW_MS = 60_000

export interface StepToSend {
  workspaceId: string
  automationId: string
  enrollmentId: string
  stepId: string
}

/** Whether a step's email should be sent now. */
export type PreparedStep =
  | { kind: 'ready'; message: Prepared; settings: SendSettings; version: number }
  /** The automation is paused. */
  | { kind: 'paused' }
  /** Sending is disabled. */
  | { kind: 'disabled' }
  /** The enrollment, the automation or the contact is deleted. */
  | { kind: 'gone' }
  /** Another attempt is sending it. */
  | { kind: 'busy' }
  /** An earlier attempt has given it a final status. */
  | (Extract<SendResult, { kind: 'final' }> & { version: number })

/** Sends a step's email to an enrollment's contact, at most once. After any crash, the next attempt finds the message's row. */
export async function sendStep(
  dependencies: SendDependencies,
  step: StepToSend,
  patience: WaitLimit,
): Promise<SendResult> {
  const prepared = await prepareStep(dependencies, step)
  const later = (reason: string, afterMs: number): SendResult =>
    patience === 'at-once' ? { kind: 'queue' } : { kind: 'deferred', reason, afterMs }
  switch (prepared.kind) {
    case 'gone':
      return prepared
    case 'final': {
      const { version, ...result } = prepared
      return moved(dependencies.em.fork(), { ...step, version }, result)
    }
    case 'busy':
      return later('Another attempt is in progress', waits.anotherAttempt)
    case 'disabled':
      return later('Sending is disabled', waits.sendingDisabled)
    case 'paused':
      return (await pauseEnrollment(dependencies.em.fork(), step)) ? { kind: 'paused' } : { kind: 'changed' }
    case 'ready': {
      const { message, settings, version } = prepared
      const sending = new Sending(dependencies, message)
      const due = settings.lostUntil && (await lostDueTime(dependencies.em.fork(), step, settings))
      // The waits of later steps start at that time, so those steps may also have been due and sent.
      const result = await (due ? sending.abandon(MAY_HAVE_BEEN_SENT_ERROR, due) : sending.send(patience))
      return moved(dependencies.em.fork(), { ...step, version }, result)
    }
  }
}

/**
 * Records where the enrollment continues after its email. A repeated attempt finds the message final and does it again, without an
 * effect.
 * @returns the result
 */
async function moved(
  em: EntityManager,
  step: StepToSend & { version: number },
  result: SendResult,
): Promise<SendResult> {
  if (result.kind === 'final' && !result.stop) await advanceEnrollment(em, { ...step, at: result.at ?? new Date() })
  return result
}

/**
 * Reads a step's email without locks: the claim compares what may change. If the lease of an earlier attempt has expired, the
 * message becomes UNCONFIRMED.
 */
export async function prepareStep(
  dependencies: Pick<SendDependencies, 'em' | 'log'>,
  { workspaceId, automationId, enrollmentId, stepId }: StepToSend,
): Promise<PreparedStep> {
  const ref: StepRef = { kind: 'step', enrollmentId, stepId }
  const em = () => dependencies.em.fork()
  const [found, stored, settings] = await Promise.all([
    readEmailStep(em(), enrollmentId, stepId),
    findStepMessage(em(), ref),
    readSendSettings(em(), workspaceId),
  ])
  if (!settings) return { kind: 'gone' }
  // A restored database may be older than the workflow. Reconciliation records the enrollment, possibly between the two reads.
  if (!found && !settings.isOpen) return { kind: 'disabled' }
  const step = found ?? (await readEmailStep(em(), enrollmentId, stepId))
  if (step?.automationId !== automationId || step.enrollmentStatus !== 'ACTIVE') return { kind: 'gone' }
  if (stored && stored.status !== 'DEFERRED') return earlierAttempt(dependencies, ref, step, stored)
  if (!canSend(step.automationStatus)) return { kind: 'paused' }
  if (!settings.isOpen) return { kind: 'disabled' }
  if (await leaveByCondition(em(), { enrollmentId, ...step }, await timeIn(em(), workspaceId))) return { kind: 'gone' }
  const recipient = (await readRecipients(em(), workspaceId, [step.contactId])).get(step.contactId)
  // The claim compares the consent version, which protects only what is read after it, such as the pending request.
  const asksToConfirm = step.trigger === 'LIST_REQUESTED'
  const current = asksToConfirm ? await readEmailStep(em(), enrollmentId, stepId) : step
  const context = current && contextOf(current)
  if (current?.content === null) await endWithoutStep(em(), enrollmentId, stepId)
  if (!context || !recipient) return { kind: 'gone' }
  const [message] = await withGroups(em(), workspaceId, [
    preparedFrom({ ref, intent: 'send' }, stored, context, recipient, settings),
  ])
  return { kind: 'ready', message: message!, settings, version: step.version }
}

/** Returns the result of an attempt that finds the message in flight or final. */
async function earlierAttempt(
  dependencies: Pick<SendDependencies, 'em' | 'log'>,
  ref: StepRef,
  step: EmailStep,
  stored: StoredMessage,
): Promise<PreparedStep> {
  const em = dependencies.em.fork()
  let { status, finalAt } = stored
  if (status === 'SENDING') {
    if (await expireLease(em, stored.id, SENDER_STOPPED_ERROR)) {
      status = 'UNCONFIRMED'
      const { enrollmentId, stepId } = ref
      const ids = { messageId: stored.id, enrollmentId, stepId, automationId: step.automationId }
      logOutcome(dependencies.log, { status, error: SENDER_STOPPED_ERROR }, ids)
    } else {
      const now = await findStepMessage(em, ref)
      // Its owner is alive, or has just reported that the message was not sent.
      if (!now || now.status === 'SENDING' || now.status === 'DEFERRED') return { kind: 'busy' }
      ;({ status, finalAt } = now)
    }
  }
  const stop = status === 'FAILED' && step.onSendFailure === 'STOP'
  const at = await passedAt(em, ref, finalAt ?? new Date())
  return { kind: 'final', status, error: null, stop, at, version: step.version }
}

/**
 * Returns when a step was due if a restore may have lost the record that it was sent, which requires that the step was due and
 * its wait began before the loss.
 */
async function lostDueTime(
  em: EntityManager,
  { enrollmentId, stepId }: StepToSend,
  settings: SendSettings,
): Promise<Date | undefined> {
  const timeline = await readTimeline(em, enrollmentId)
  if (!timeline) return undefined
  const sent = (await finalMessagesOf(em, enrollmentId)).flatMap(({ ref, finalAt: at }) =>
    ref.kind === 'step' && at ? [{ stepId: ref.stepId, since: at, at }] : [],
  )
  const startedAt = new Date(Math.min(timeline.enrolledAt.getTime(), timeline.eventAt?.getTime() ?? Infinity))
  const times = dueTime({ ...timeline, startedAt }, [...sent, ...timeline.passed], stepId)
  if (!times || !mayBeLost(settings, times.since)) return undefined
  return mayBeLost(settings, new Date(times.due.getTime() - CLOCK_SKEW_MS)) ? times.due : undefined
}

/**
 * Marks an enrollment as paused if its automation does not send.
 *
 * Race: the automation is resumed at the same time. Guard: this shares the automation's lock, so the resume wakes this enrollment
 * or is visible here. The mark stays until a later attempt claims: an attempt that Temporal has abandoned may still be running,
 * and its workflow would not be signalled. Test: test/messages/claims.test.ts.
 *
 * @returns whether it is paused
 */
export async function pauseEnrollment(
  em: EntityManager,
  { enrollmentId, automationId }: Pick<StepToSend, 'enrollmentId' | 'automationId'>,
): Promise<boolean> {
  return em.transactional(async (unit) => {
    const status = (await lockAutomationsShared(unit, [automationId])).get(automationId)
    return status !== undefined && !canSend(status) && pauseActive(unit, enrollmentId)
  })
}
