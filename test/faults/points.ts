/**
 * The named points in the path of an email, from a request to the record of the mail server's response: the instants in which
 * faults are most critical. Each point is a place in the source, found by a text beside it. The code of a point is inserted while
 * the module is loaded (`hooks.ts`): production has none of it.
 */
export interface Point {
  name: string
  file: string
  /** Text in the source that the point is inserted before or after. It occurs once. */
  before?: string
  after?: string
  /** A condition in the code: the point applies only if it is true. */
  only?: string
  /** Whether only stories use the point: the load does not reach it, because it has no campaigns. */
  inStories?: true
  /** Whether the process reports the point and continues: it cannot be stopped there. */
  passing?: true
}

const ENROLL = 'src/enrollments/enroll-contact.ts'
const CHANGE = 'src/http/run-change.ts'
const DELIVER = 'src/relay/deliver.ts'
const AUTOMATIONS = 'src/automations/automations.ts'
const DELETE = 'src/automations/delete-automation.ts'
const ERASE = 'src/contacts/erase-contact.ts'
const BATCH_JOBS = 'src/relay/batch-jobs.ts'
const SEND = 'src/messages/send.ts'
const STORE = 'src/messages/store.ts'
const SMTP = 'src/smtp/smtp.ts'
const WEBHOOKS = 'src/webhooks/deliver.ts'
const SMTP_MESSAGE = 'src/smtp/smtp-message.ts'

/** Points in an API process. */
const API: readonly Point[] = [
  {
    name: 'api: before start',
    file: ENROLL,
    before: 'const started = await enrollments.start(start)\n',
  },
  {
    name: 'api: after start',
    file: ENROLL,
    after: 'const started = await enrollments.start(start)\n',
    only: 'started',
  },
  {
    name: 'api: after record',
    file: ENROLL,
    after: 'const isRecorded = await within(RECORD_PATIENCE_MS, recorded, late)\n',
  },
  {
    name: 'api: done, not committed',
    file: CHANGE,
    after: 'const answer = await run({ ...dependencies, em })\n',
  },
  {
    name: 'api: committed, not delivered',
    file: CHANGE,
    before: 'for (const task of call.afterCommit) await task()\n',
    only: 'call.afterCommit.length > 0',
  },
  {
    name: 'api: done, answer not kept',
    file: CHANGE,
    before: '// The effect is durable now. If the response is not stored, the next attempt finds the effect.\n',
  },
  { name: 'api: delivered', file: DELIVER, before: 'await completeDeliveries(fork, done)\n', only: 'done.length > 0' },
  { name: 'api: marked', file: DELIVER, after: 'await completeDeliveries(fork, done)\n', only: 'done.length > 0' },
  {
    name: 'api: before answer',
    file: 'src/http/middleware/handle.ts',
    before: 'respond(ctx, answer)\n',
    only: `ctx.method !== 'GET'`,
  },
  {
    name: 'api: before change',
    file: AUTOMATIONS,
    before:
      'const automation = await lockAutomation(fork, workspaceId, id, expected)\n    automation.revision += 1\n    if (name !== undefined) automation.name = name\n',
  },
  {
    name: 'api: changed, not committed',
    file: AUTOMATIONS,
    after: `await enqueue(fork, { kind: 'WAKE_PAUSED', automationId: automation.id })\n    }\n`,
  },
  { name: 'api: before deletion', file: DELETE, before: 'const deleted = await fork.transactional(' },
  { name: 'api: deleted, before the wait', file: DELETE, before: 'if (await waitForSenders(sending)) return\n' },
  { name: 'api: before erasure', file: ERASE, before: 'const cancellations = await fork.transactional(' },
  {
    name: 'api: erased, before the wait',
    file: ERASE,
    before: 'await dependencies.deliverAtOnce(dependencies, cancellations ?? [])\n',
  },
  { name: 'api: erased, before the rest', file: ERASE, before: 'await erasure.eraseRest(fork, contact)\n}' },
]

/** Points in the outbox relay, which runs in a worker. */
const RELAY: readonly Point[] = [
  {
    name: 'relay: leased',
    file: 'src/relay/relay.ts',
    before: `if (lane === 'batch') for`,
    only: `lane !== 'batch' && due.length > 0`,
  },
  { name: 'relay: walk leased', file: 'src/relay/relay.ts', before: 'await runBatchJob(dependencies, delivery)\n' },
  {
    name: 'relay: delivered',
    file: DELIVER,
    before: 'await completeDeliveries(fork, done)\n',
    only: 'done.length > 0',
  },
  { name: 'relay: marked', file: DELIVER, after: 'await completeDeliveries(fork, done)\n', only: 'done.length > 0' },
  {
    name: 'relay: woken, not marked',
    file: BATCH_JOBS,
    before: 'await completeDeliveries(fork, [delivery])\n}\n\n/** Enqueues the pending retries',
  },
  {
    name: 'relay: cancelled, not removed',
    file: BATCH_JOBS,
    before: 'if (!(await deleteEnrollments(fork, ids, deleteRuns)))',
  },
  { name: 'relay: torn down, not marked', file: BATCH_JOBS, before: 'await removeAutomation(fork, automationId)\n' },
]

/** Points in activities. */
const WORKER: readonly Point[] = [
  {
    name: 'worker: before begin',
    file: 'activities/begin-enrollment.ts',
    before: 'let enrollment = await read()\n',
  },
  {
    name: 'worker: begun',
    file: 'activities/begin-enrollment.ts',
    before: `if (enrollment?.status !== 'ACTIVE') return null\n`,
  },
  {
    name: 'worker: rendered',
    file: SEND,
    before: 'content = compose(this.dependencies, message, rendered)\n',
  },
  {
    name: 'worker: recipients materialized',
    file: 'src/campaigns/advance-campaign.ts',
    before: '// Another process advanced it, or it was paused.\n',
    inStories: true,
  },
  {
    name: 'worker: recipients written',
    file: 'src/campaigns/advance-campaign.ts',
    before: 'const page = await dueRecipients(',
    inStories: true,
  },
  { name: 'worker: permit', file: SEND, before: 'const claim = this.ahead ?? {' },
  { name: 'worker: connected', file: SMTP, after: 'const connection = kept ?? (await connections.connect())\n' },
  {
    name: 'worker: DATA begun, before claim',
    file: SEND,
    before: `claim.sentAt = performance.now()\n    claim.isHeld = 'unknown'\n`,
  },
  {
    name: 'worker: claim written, not committed',
    file: STORE,
    before: 'return () => Promise.all([noteAhead(unit, ahead), countChanges(unit, changes)]).then(() => held)\n',
    inStories: true,
  },
  {
    name: 'worker: claimed',
    file: SEND,
    after: `claim.isHeld = await store.claim(this.attempt, { status: 'SENDING' })\n`,
    only: 'claim.isHeld',
  },
  {
    name: 'worker: claimed ahead',
    file: SEND,
    after: 'const held = await store.claimAhead(claims.map(({ attempt }) => attempt))\n',
    inStories: true,
  },
  {
    name: 'worker: DATA begun, claimed ahead',
    file: SEND,
    before: 'if (!mayBegin()) return false\n',
    inStories: true,
  },
  {
    name: 'worker: claimed ahead, begun',
    file: SEND,
    before: 'this.ahead = undefined\n    this.mayBeSent = true\n',
    inStories: true,
  },
  {
    name: 'worker: before the message',
    file: SMTP_MESSAGE,
    before: 'for (let at = 0; at < this.raw.length; at += PART_BYTES) {\n',
  },
  {
    name: 'worker: before the end of DATA',
    file: SMTP_MESSAGE,
    after: 'yield this.raw.subarray(at, at + PART_BYTES)\n',
  },
  // The mail server is about to respond: no code of the process can be stopped here.
  {
    name: 'worker: DATA ended',
    file: SMTP_MESSAGE,
    after: 'yield this.raw.subarray(at, at + PART_BYTES)\n',
    passing: true,
  },
  { name: 'worker: answer read', file: SMTP, before: `const text = response ?? ''\n` },
  { name: 'worker: before record', file: SEND, before: 'const outcome = outcomeOf(delivery)\n' },
  {
    name: 'worker: recorded',
    file: SEND,
    after: 'await this.record(outcome, content)\n',
  },
  {
    name: 'worker: before complete',
    file: 'activities/send-email.ts',
    after: `const result = await send(dependencies, input, 'at-once')\n`,
  },
  {
    name: 'worker: before complete, queued',
    file: 'activities/send-queued.ts',
    after: 'const result = await send({ turn: Context.current().cancellationSignal })\n',
  },
  {
    name: 'worker: before step',
    file: 'src/steps/run-step.ts',
    before: 'const result = await runner.run(dependencies, passed, time)\n',
  },
  {
    name: 'worker: step ran',
    file: 'src/steps/run-step.ts',
    after: 'const result = await runner.run(dependencies, passed, time)\n',
  },
  {
    name: 'worker: before end',
    file: 'src/enrollments/record-enrollment.ts',
    before: 'const wasActive = await endActive(em, enrollmentId, status, cause)\n',
  },
  {
    name: 'worker: deliveries taken',
    file: WEBHOOKS,
    before: 'const byEndpoint = Map.groupBy(leased,',
    only: 'leased.length > 0',
    inStories: true,
  },
  {
    name: 'worker: before webhook',
    file: WEBHOOKS,
    before: 'const response = await request(\n',
    inStories: true,
  },
  { name: 'worker: webhook answered', file: WEBHOOKS, after: 'if (isAborted) return undefined\n', inStories: true },
  { name: 'worker: before webhook outcomes', file: WEBHOOKS, before: 'await writeOutcomes(\n', inStories: true },
  { name: 'worker: webhook outcomes recorded', file: WEBHOOKS, before: 'const idsOf = (some', inStories: true },
]

/** The points by the kind of process. */
export const POINTS = { api: API, worker: [...RELAY, ...WORKER] } as const

export const POINT_NAMES: readonly string[] = [...POINTS.api, ...POINTS.worker].map(({ name }) => name)

/** Inserts the points of a file into its source. @throws {Error} naming the point whose text no longer exists */
export function withPoints(part: keyof typeof POINTS, file: string, source: string): string {
  return POINTS[part]
    .filter((point) => point.file === file)
    .reduce((text, { name, before, after, only, passing }) => {
      const anchor = before ?? after ?? ''
      if (text.split(anchor).length !== 2) throw new Error(`The point "${name}" no longer fits ${file}: ${anchor}`)
      const call = passing ? 'void globalThis.faultPassing' : 'await globalThis.faultPoint'
      const stands = `${only === undefined ? '' : `if (${only}) `}${call}(${JSON.stringify(name)}); `
      return text.replace(anchor, () => (before === undefined ? anchor + stands : stands + anchor))
    }, source)
}
