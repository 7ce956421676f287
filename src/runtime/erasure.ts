import { eraseAddresses } from '../consent/index.ts'
import type { Erasure } from '../contacts/index.ts'
import { eraseFailedRows } from '../imports/index.ts'
import { eraseEmails } from '../emails/index.ts'
import { eraseEnrollments } from '../enrollments/index.ts'
import { eraseRequests } from '../http/index.ts'
import { eraseMessages, eraseRest, isBeingErased, waitForSendersTo, waitForSendersToErased } from '../messages/index.ts'
import { eraseRuns } from '../steps/index.ts'
import { eraseRefusedEntries } from '../triggers/index.ts'

/** The steps of an erasure in the modules that depend on contacts, in this order. */
export const ERASURE: Erasure = {
  // Addresses first, because they are read from the messages.
  eraseData: [
    eraseAddresses,
    eraseRuns,
    eraseEnrollments,
    eraseRefusedEntries,
    eraseRequests,
    eraseEmails,
    eraseFailedRows,
    eraseMessages,
  ],
  waitForSenders: waitForSendersTo,
  waitForSendersToErased,
  isBeingErased,
  eraseRest,
}
