import * as enrollments from '../src/enrollments/index.ts'
import type { ReceivedEvents } from '../src/automation-engine/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import type { InstanceRef } from './check-instance.ts'

export type RecordProcessedEventsInput = ReceivedEvents & InstanceRef

/** Stores the events that an enrollment has received so far, so that its runs need not carry them. */
export const recordProcessedEvents = (
  { em }: ActivityDependencies,
  received: RecordProcessedEventsInput,
): Promise<void> => enrollments.recordProcessedEvents(em.fork(), received)
