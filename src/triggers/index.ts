export { assertMaxStarts, assertQueueNotFull, TOO_MANY_STARTS } from './bulk-load.ts'
export { fireEvent } from './fire-event.ts'
export { type ProcessedEventWrite, recordProcessedEvent } from './processed-event-queries.ts'
export {
  findListeners,
  deleteOldTriggerEvents,
  type TriggerOccurrence,
  listIdOfTrigger,
  type LostEvent,
  lostEvents,
  recordTriggerOccurrences,
} from './queries.ts'
export {
  foldName,
  MAX_EVENT_NAME_LENGTH,
  SUMMARY_TRIGGERS,
  type Trigger,
  type TriggerConfig,
  triggerKey,
  TRIGGERS,
} from './trigger.ts'
export { ProcessedEvent, TriggerEvent } from './entities.ts'
