import { type StepResult, type StoredStep, type StepType, canSend } from '../automation-engine/index.ts'
import {
  endWithoutStep,
  keepWaiting,
  leaveByCondition,
  advanceEnrollment,
  passedAt,
  pauseEnrollment,
} from '../enrollments/index.ts'
import { readSendingGate } from '../instance/index.ts'
import { chooseBranch } from './choose-branch.ts'
import { chooseShare } from './choose-share.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { readStepContext, type StepContext } from './queries.ts'
import { ContextChanged, type RunDependencies, type RunStep, type StepToRun } from './runner.ts'
import { callWebhook } from './call-webhook.ts'
import { changeContact } from './change-contact.ts'
import { waitForEvent } from './wait-for-event.ts'
import { waitUntil } from './wait-until.ts'

/** Milliseconds until the next check whether a restored database is reconciled. */
const RESTORED_RETRY_MS = 10_000

interface Runner<Step extends StoredStep> {
  run: RunStep<Step>
  /** Whether it changes something outside of the enrollment. After a restore, it waits until the database is reconciled. */
  acts: boolean
}

/** The runner of each type; `null` if the workflow runs the step, or sends its email. */
const RUNNERS: { [Type in StepType]: Runner<Extract<StoredStep, { type: Type }>> | null } = {
  EMAIL: null,
  WAIT: null,
  WAIT_UNTIL: { run: waitUntil, acts: false },
  WAIT_FOR_EVENT: { run: waitForEvent, acts: false },
  CONDITION: { run: chooseBranch, acts: false },
  SPLIT: { run: chooseShare, acts: false },
  UPDATE_CONTACT: { run: changeContact, acts: true },
  WEBHOOK: { run: callWebhook, acts: true },
  EXIT: null,
}

/**
 * Runs a step that is not an email, at most once: a repeated call returns the recorded result. Only a webhook can be sent twice,
 * with the same webhook-id.
 */
export async function runStep(dependencies: RunDependencies, step: StepToRun): Promise<StepResult> {
  try {
    return await attempt(dependencies, step)
  } catch (error) {
    if (!(error instanceof ContextChanged)) throw error
    // What changed is recorded, so the second attempt finds it before it runs the step.
    return attempt(dependencies, step)
  }
}

async function attempt(dependencies: RunDependencies, { now, clockAhead = 0, ...of }: StepToRun): Promise<StepResult> {
  const em = () => dependencies.em.fork()
  const context = await readStepContext(em(), of.enrollmentId, of.stepId)
  const later = (): StepResult => ({ next: 'retry', until: now + RESTORED_RETRY_MS })
  // A restored database may be older than the workflow.
  if (!context) return (await readSendingGate(em())).isOpen ? { next: 'gone' } : later()
  const { step, enrollmentStatus, automationStatus } = context
  if (context.automationId !== of.automationId) return { next: 'gone' }
  if (enrollmentStatus !== 'ACTIVE')
    return enrollmentStatus === 'CANCELLED' ? { next: 'gone' } : { next: 'end', status: enrollmentStatus }
  if (step === null) {
    await endWithoutStep(em(), of.enrollmentId, of.stepId)
    return { next: 'gone' }
  }
  const passed = { ...context, step }
  if (context.result) return moved(em(), passed, await recorded(em(), of, context.result))
  if (!canSend(automationStatus))
    return (await pauseEnrollment(em(), of)) ? { next: 'paused' } : { next: 'retry', until: now }
  const runner = RUNNERS[step.type] as Runner<StoredStep> | null
  if (!runner) throw new Error(`A step of the type ${step.type} has no activity`)
  if (runner.acts && !(await readSendingGate(em())).isOpen) return later()
  const time = { now: new Date(now), clock: new Date(now + clockAhead) }
  const left = await leaveByCondition(em(), context, time.clock)
  if (left) return { next: 'end', status: left }
  const result = await runner.run(dependencies, passed, time)
  return moved(em(), passed, result)
}

/** Returns a recorded result, as it applies when the enrollment comes to the step. */
async function recorded(
  em: EntityManager,
  of: { enrollmentId: string; stepId: string },
  result: StepResult,
): Promise<StepResult> {
  if (result.next !== 'wait') return result
  return { next: 'wait', until: (await passedAt(em, of, new Date(result.until))).getTime() }
}

/**
 * Records where the enrollment continues after a result. A repeated activity does it again, without an effect.
 * @returns the result
 */
async function moved(
  em: EntityManager,
  { enrollmentId, automationId, version, step }: StepContext & { step: StoredStep },
  result: StepResult,
): Promise<StepResult> {
  const of = { enrollmentId, automationId, version, stepId: step.id }
  switch (result.next) {
    case 'continue': {
      const at = result.at === undefined ? new Date() : new Date(result.at)
      await advanceEnrollment(em, { ...of, branch: result.branch, at })
      break
    }
    case 'wait':
      await advanceEnrollment(em, { ...of, at: new Date(result.until) })
      break
    case 'retry':
      await keepWaiting(em, { ...of, until: new Date(result.until) })
      break
    case 'end':
    case 'gone':
    case 'paused':
  }
  return result
}
