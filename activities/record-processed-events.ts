import * as enrollments from '../src/enrollments/index.ts'
import type { Received } from '../src/automation-engine/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import type { OfInstance } from './check-instance.ts'

export type RecordProcessedEventsInput = Received & OfInstance

/** Keeps what an enrollment has received so far, so that it need not be carried on. */
export const recordProcessedEvents = (
  { em }: ActivityDependencies,
  received: RecordProcessedEventsInput,
): Promise<void> => enrollments.recordProcessedEvents(em.fork(), received)
