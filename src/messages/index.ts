export { Message } from './entities.ts'
export { createLeaseKeeper } from './hand-over-leases.ts'
export { MESSAGE_STATUSES } from './message.ts'
export {
  countSendingIn,
  countSendingOf,
  countSendingOfCampaign,
  countSendingTo,
  LEASE_SECONDS,
} from './claim-queries.ts'
export { SENDER_DIED, settleAbandoned, settleAbandonedOf } from './draft-queries.ts'
export { settlePutOff } from './record-queries.ts'
export {
  automationsWithRetries,
  dropRetriesOf,
  giveUpRetries,
  giveUpSending,
  overdueRetries,
  wakeRetries,
  wakeRetriesOfCampaign,
} from './retry-queries.ts'
export type { Drafted, Sender } from './compose.ts'
export { escapeHtml, type Language, languageOf, LANGUAGES } from './footer.ts'
export { eraseMessages, eraseRest, isBeingErased, waitForSendersTo, waitForSendersToErased } from './erase-messages.ts'
export { MAY_SEND } from './claim-queries.ts'
export { SUPPRESSED_FOR_CAMPAIGN } from './unconfirmed-queries.ts'
export { again, type Attempt, LONGEST_WARM_UP_LOOK_MS, Sending, isDelivered, warnOf } from './sending.ts'
export { fromOf, messageIdOf, variablesOf } from './compose.ts'
export type { ClaimAs } from './claim-queries.ts'
export type { Content, Outcome } from './record-queries.ts'
export { untilDone } from './record-for-sure.ts'
export type { MessageKey } from './message.ts'
export { retryMessage } from './retry-message.ts'
export { MAY_HAVE_BEEN_SENT, sendMessage } from './send-message.ts'
export type { Patience, SendMessageDependencies, SendResult } from './sending.ts'
export { dismissMessage, LISTED, listUnconfirmed, resendMessage, type Resent } from './unconfirmed-messages.ts'
export { IS_UNCONFIRMED } from './unconfirmed-queries.ts'
export { RECIPIENT } from './recipient-queries.ts'
export { waitForSenders } from './wait-for-senders.ts'
export { type FirstVisits, lockFreeMessages, lockVisitedMessage, setFirstVisits } from './visit-queries.ts'
