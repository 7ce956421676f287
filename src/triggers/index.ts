export { assertBearable, assertNotCrowded, TOO_MANY_STARTS } from './bulk-load.ts'
export { fireEvent } from './fire-event.ts'
export { type HeardEventWrite, keepHeard } from './heard-queries.ts'
export {
  findListeners,
  forgetTriggerEvents,
  type Happening,
  listBegunBy,
  type LostEvent,
  lostEvents,
  recordHappenings,
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
export { HeardEvent, TriggerEvent } from './entities.ts'
