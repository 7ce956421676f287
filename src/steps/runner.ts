import type { StepResult, StoredStep } from '../automation-engine/index.ts'
import type { Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Renderer } from '../rendering/index.ts'
import type { StepContext } from './queries.ts'
import type { SendRequest } from './send-request.ts'

export interface StepToRun {
  workspaceId: string
  automationId: string
  enrollmentId: string
  stepId: string
  /** The workflow's time, in milliseconds since 1970. Waits are computed from it, because tests skip time. */
  now: number
  /** Milliseconds by which the test clock is ahead of `now`. */
  clockAhead?: number
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

/** The time at which a step runs. Waits end at real times. */
interface StepTime {
  now: Date
  /** The time of the contact's workspace, in which the test clock may be ahead. */
  clock: Date
}

/**
 * Runs a step of one type. The step is in `context.step`, and its automation is active.
 *
 * @throws {ContextChanged} if the context is out of date
 */
export type RunStep<Stored extends StoredStep> = (
  dependencies: RunDependencies,
  context: StepContext & { step: Stored },
  time: StepTime,
) => Promise<StepResult>

/**
 * Thrown by a runner that finds under a lock that its context is out of date: another attempt has finished the step, the enrollment
 * has ended, or the contact is erased. `runStep` then reads the context again and returns what is recorded.
 */
export class ContextChanged extends Error {}
