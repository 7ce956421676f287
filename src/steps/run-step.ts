import { type StepResult, type StoredStep, type StepType, canSend } from '../automation-engine/index.ts'
import { leaveByCondition, pauseEnrollment } from '../enrollments/index.ts'
import { readSendingGate } from '../instance/index.ts'
import type { Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Renderer } from '../rendering/index.ts'
import { chooseBranch } from './choose-branch.ts'
import { chooseShare } from './choose-share.ts'
import { readStepContext, type StepContext } from './queries.ts'
import { type SendRequest, callWebhook } from './call-webhook.ts'
import { changeContact } from './change-contact.ts'
import { waitForEvent } from './wait-for-event.ts'
import { waitUntil } from './wait-until.ts'

/** Milliseconds until the next check whether a restored database is reconciled. */
const RESTORED_RETRY_MS = 10_000

export interface StepToRun {
  workspaceId: string
  automationId: string
  enrollmentId: string
  stepId: string
  /** The workflow's time, in milliseconds since 1970. Waits are computed from it, because tests skip time. */
  now: number
}

export interface RunDependencies {
  em: EntityManager
  log: Log
  renderer: Renderer
  /** Decrypts the secrets that sign webhooks. */
  secrets: Secrets
  /** Sends the HTTP request of a webhook. */
  sendRequest: SendRequest
}

/** Runs a step of one type. The step is in `context.step`, and its automation is active. */
export type RunStep<Stored extends StoredStep> = (
  dependencies: RunDependencies,
  context: StepContext & { step: Stored },
  now: Date,
) => Promise<StepResult | undefined>

type Runners = { [Type in StepType]?: RunStep<Extract<StoredStep, { type: Type }>> }

const RUNNERS: Runners = {
  CONDITION: chooseBranch,
  SPLIT: chooseShare,
  WAIT_UNTIL: waitUntil,
  WAIT_FOR_EVENT: waitForEvent,
  UPDATE_CONTACT: changeContact,
  WEBHOOK: callWebhook,
}

/** The types that change something outside of the enrollment. After a restore, they wait until the database is reconciled. */
const ACTS: readonly StepType[] = ['UPDATE_CONTACT', 'WEBHOOK']

/**
 * Runs a step that is not an email, at most once: a repeated call returns the recorded result. Only a webhook can be sent twice,
 * with the same webhook-id.
 */
export async function runStep(dependencies: RunDependencies, { now, ...of }: StepToRun): Promise<StepResult> {
  const em = () => dependencies.em.fork()
  const context = await readStepContext(em(), of.enrollmentId, of.stepId)
  const later = (): StepResult => ({ next: 'retry', until: now + RESTORED_RETRY_MS })
  // A restored database may be older than the workflow.
  if (!context) return (await readSendingGate(em())).isOpen ? { next: 'gone' } : later()
  const { step, enrollmentStatus, automationStatus } = context
  if (context.automationId !== of.automationId || step === null) return { next: 'gone' }
  if (enrollmentStatus !== 'ACTIVE')
    return enrollmentStatus === 'CANCELLED'
      ? { next: 'gone' }
      : { next: 'end', status: enrollmentStatus }
  if (context.result) return context.result
  if (!canSend(automationStatus))
    return (await pauseEnrollment(em(), of)) ? { next: 'paused' } : { next: 'retry', until: now }
  if (ACTS.includes(step.type) && !(await readSendingGate(em())).isOpen) return later()
  const left = await leaveByCondition(em(), context, new Date(now))
  if (left) return { next: 'end', status: left }
  const run = RUNNERS[step.type] as RunStep<StoredStep> | undefined
  if (!run) throw new Error(`A step of the type ${step.type} has no activity`)
  const result = await run(dependencies, { ...context, step }, new Date(now))
  return result ?? { next: 'gone' }
}
