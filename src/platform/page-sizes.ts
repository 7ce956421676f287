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
  /** Enrollments of older versions that are moved or ended at once. */
  move: 200,
  /** Enrollments that a preview of a move reads at once. */
  previewedMove: 5_000,
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
  /** Contacts that a campaign checks in one transaction, and so its maximum number of new recipients. */
  campaignContacts: 2_000,
  /** Recipients of an A/B test who are released for the winner in one statement. */
  released: 5_000,
  /** Messages of a cancelled campaign that one statement dismisses. */
  dismissed: 2_000,
  /** Rows of a file that one transaction imports. */
  importedRows: 5_000,
  /** The same, if each row can start an automation. */
  importedStartingRows: 100,
  /** Enrollments of a deleted automation that are ended at once. Few, to leave Temporal’s capacity to others. */
  deletedAutomation: 50,
  /** Retries that are enqueued at once when an automation resumes. */
  wakeRetries: 1_000,
  /** Webhook events that one statement replays: more would exceed the statement timeout. */
  replayed: 10_000,
  /** Expired rows of a table that one statement deletes. */
  expired: 1_000,
}

export type PageSizes = typeof pageSizes
