export { ClaimAhead, Message } from './entities.ts'
export { deleteOldContent, deleteOldMessages } from './old-messages-queries.ts'
export { recountMessages } from './changes-queries.ts'
export { countClicks, recountClicks } from './clicks-queries.ts'
export { createLeaseKeeper, SENDER_STOPPED_ERROR, ABANDONED_SECONDS, waitForSenders } from './leases.ts'
export {
  type CampaignRef,
  type EmailRef,
  MESSAGE_STATUSES,
  type MessageStatus,
  type MessageRef,
  type MessageResult,
  type StepRef,
} from './message.ts'
export type { MessageSource } from './source.ts'
export { preparedFrom, withGroups } from './prepare.ts'
export type { Prepared, SendSettings, SourceContext } from './prepared.ts'
export { ENROLLMENT_ENDED, MessageStore } from './store.ts'
export {
  Sending,
  type SendDependencies,
  type SendResult,
  type WaitLimit,
  MAX_TURN_WAIT_MS,
  MAX_WARM_UP_RECHECK_MS,
  logOutcome,
  retryAfterMs,
} from './send.ts'
export { fromOf, type Sender, variablesOf } from './compose.ts'
export { directionOf, type FooterOptions, type Language, languageOf, withFooter } from './footer.ts'
export {
  automationsWithRetries,
  dueRecipients,
  finalMessagesOf,
  findMessage,
  findStepMessage,
  NEEDS_DECISION,
  overdueRetries,
  readSendSettings,
  remainingRecipients,
  type StoredMessage,
  waitingRetries,
} from './read-queries.ts'
export { abandonSending, countSending, expireLease, expireLeases, shortenLeases } from './lease-queries.ts'
export {
  dismissMessages,
  keepQueuedEmails,
  postponeMessages,
  queueEmails,
  queueRecipients,
  type QueuedRow,
  releaseRecipients,
  takeQueuedEmails,
} from './queue-queries.ts'
export {
  recordResult,
  recordUnsubscribe,
  setDelivered,
  setVisits,
  type VisitSummary,
} from './record-results-queries.ts'
export { abandonRetries, cancelRetriesIn, cancelRetriesOf, finishMessagesOf } from './retry-queries.ts'
export { countsByDomain, type HourOfOpens, opensByHour, sentByMinute, type SentMinute } from './campaign-queries.ts'
export { deleteUnusedAhead } from './ahead-queries.ts'
export { MAY_HAVE_BEEN_SENT_ERROR } from './send.ts'
export { prepareStored, retryMessage } from './deliver-retry.ts'
export {
  dismissMessage,
  MAX_LISTED_MESSAGES,
  listUnconfirmed,
  resendMessage,
  type ResendResult,
} from './unconfirmed-messages.ts'
export { RECIPIENT } from './recipient-queries.ts'
export {
  daysResponse,
  presentDays,
  presentLinks,
  presentResults,
  type ResultCounts,
  RESULT_COUNTERS,
  resultFields,
  resultsResponse,
} from './results.ts'
export { clickedLinks, type DayResults, type LinkClicks, MAX_LINKS, resultsByDay } from './results-queries.ts'
export { HAS_ARRIVED, MAY_BE_SENT, recordUnsubscribeByLink } from './unsubscribe-queries.ts'
export { lockFreeMessages, lockVisitedMessage } from './visited-message-queries.ts'
export {
  eraseMessages,
  eraseRest,
  deleteRemainingMessages,
  isBeingErased,
  waitForSendersTo,
  waitForSendersToErased,
} from './erase-messages.ts'
