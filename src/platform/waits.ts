/**
 * Real waits of a process, in milliseconds. They are part of the product, so no setting changes them. Only tests do
 * (`test/support/waits.ts`): a test that waits for one of them would be slow.
 */
export const waits = {
  /** Time for which a request that stops something waits for the emails in flight. Longer than `BEGIN_WITHIN_MS` of a sender. */
  stop: 3_500,
  /** Pause of an email whose other attempt is in progress. */
  anotherAttempt: 5_000,
  /** Pause of an email while sending is disabled. */
  sendingDisabled: 10_000,
  /** Maximum pause between two messages that try a failing mail server. */
  failingMailServer: 120_000,
  /** Time in which a client that submits emails over SMTP must authenticate. */
  submissionSignIn: 30_000,
  /** Time after its login in which a client's first mail needs no check of its API key: a key that is deleted may send it. */
  submissionCounted: 2_000,
  /** Time in which a submitted mail must be parsed. One of the maximum size takes less than a second. */
  mailParsing: 10_000,
  /** Pause between two checks of a lane of the outbox in which nothing was due. */
  outboxIdle: 1_000,
  /** Pause between two checks of the queue of transactional emails if none was due. */
  emailQueueIdle: 250,
  /** Pause between two checks for users of kept calls who have become known. */
  keptCalls: 1_000,
  /** Pause between two comparisons of campaigns with Temporal. */
  campaignCheck: 20_000,
  /** Pause between two checks of the reputation of automations. */
  reputationCheck: 20_000,
  /** Pause between two checks of the conditions by which contacts leave automations. */
  leaving: 30_000,
  /** Time for which finished requests are collected before they are written to the request log. */
  requestLog: 1_000,
  /** Pause between two deletions of old messages, step runs and requests. */
  history: 600_000,
  /** Time after a publication in which an enrollment that read the older version before it may still be recorded. */
  lateEnrollments: 15_000,
  /** Pause between two sweeps for contacts who entered a segment or reached a date. */
  sweep: 30_000,
}

export type Waits = typeof waits
