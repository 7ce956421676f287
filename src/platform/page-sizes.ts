/**
 * Numbers of rows that loops read or change at once. They are part of the product, so no setting changes them. Only tests do
 * (`test/support/page-sizes.ts`): a fixture of a few rows then has several pages.
 */
export const pageSizes = {
  /** Contacts who leave a deleted list in one transaction. It limits how long others wait for the counter of the list. */
  deletedList: 5_000,
  /** Enrollments that a condition ends in one transaction. */
  leaving: 200,
  /** Contacts that a sweep starts in one transaction. */
  sweep: 500,
  /** Members of a segment that are written without starting them. */
  segmentMembers: 10_000,
  /** Paused enrollments that are woken at once. */
  wake: 200,
  /** Enrollments that are compared with Temporal. */
  reconciliation: 500,
  /** Items of a workspace that an export reads at once. */
  export: 200,
  /** Contacts that an export reads at once. Each can be large. */
  exportedContacts: 25,
  /**
   * Items of a contact that an export reads at once, which blocks the event loop while they are decoded. Postgres can expand an event
   * of 16 KB to 700 KB, because it writes numbers in full.
   */
  exportedItems: 5,
  /** Contacts of which a campaign finds its recipients, and the maximum number of recipients in one transaction. */
  campaignContacts: 2_000,
  /** Recipients of an A/B test who get the winner, and those of a cancelled campaign who get nothing. */
  released: 5_000,
  dismissed: 2_000,
  /** Rows of a file that are imported in one transaction, fewer if each can start an automation. */
  importedRows: 5_000,
  importedStartingRows: 100,
  /** Enrollments of a deleted automation, which leaves Temporal’s capacity to others. */
  deletedAutomation: 50,
  /** Retries that an automation that sends again enqueues. */
  wakeRetries: 1_000,
  /** Webhook events that one statement replays: more would exceed the statement timeout. */
  replayed: 10_000,
  /** Expired rows of a table that one statement deletes. */
  forgotten: 1_000,
}

export type PageSizes = typeof pageSizes
