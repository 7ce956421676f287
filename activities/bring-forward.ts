import * as steps from '../src/steps/index.ts'
import type { InstanceRef } from './check-instance.ts'
import type { ActivityDependencies } from './dependencies.ts'

export interface BringForwardInput extends InstanceRef {
  enrollmentId: string
  /** The step that waits. */
  stepId: string
  /** Milliseconds since 1970. */
  until: number
}

/** Records that the wait of an enrollment ends earlier, because the test clock moved or a request skips it. */
export const bringForward = (
  { em }: ActivityDependencies,
  { enrollmentId, stepId, until }: BringForwardInput,
): Promise<void> => steps.bringForward(em.fork(), { enrollmentId, stepId, until: new Date(until) })
