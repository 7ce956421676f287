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
}

export type PageSizes = typeof pageSizes
