export {
  areTooManyWaiting,
  assertMaxStarts,
  assertEventsBearable,
  assertQueueNotFull,
  TOO_MANY_STARTS,
} from './bulk-load.ts'
export {
  ENTRY_RULES,
  REFUSAL_REASONS,
  type EntryRule,
  type RefusalReason,
  deleteOldRefusedEntries,
  deleteRefusedEntriesOf,
  recordRefusedEntries,
  recountRefusedEntries,
  type RefusedEntryWrite,
  eraseRefusedEntries,
} from './refused-entry-queries.ts'
export { addEffects } from './effects-queries.ts'
export { countMatching, effectsOf, type EventEffects, type OtherEffects, storedEffects } from './effects.ts'
export { deleteEventsOfName } from './event-name-queries.ts'
export { type ProcessedEventWrite, recordProcessedEvent } from './processed-event-queries.ts'
export {
  findListeners,
  TRIGGER_EVENT_DAYS,
  NOBODY_LISTENS,
  deleteOldTriggerEvents,
  type CauseOfHappenings,
  type TriggerOccurrence,
  type HeardEvent,
  insertCustomEvents,
  lockListening,
  type PlannedEvent,
  listIdOfTrigger,
  type LostEvent,
  lostEvents,
  MAX_CHAIN_LENGTH,
  type NewCustomEvent,
  recordMutedOccurrences,
  recordTriggerOccurrences,
  type WrittenEvent,
} from './queries.ts'
export {
  DATE_REPEATS,
  EVENT_SOURCES,
  type EventSource,
  foldName,
  MAX_EVENT_NAME_LENGTH,
  SUMMARY_TRIGGERS,
  type Trigger,
  type TriggerConfig,
  triggerKey,
  TRIGGERS,
} from './trigger.ts'
export { ProcessedEvent, RefusedEntry, TriggerEvent } from './entities.ts'
