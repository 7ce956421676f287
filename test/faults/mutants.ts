/**
 * Builds that are broken on purpose, each in one sentence of the promise or one decision that keeps it: both suites have to
 * find out. Each replaces one text in one file of the source.
 */
export interface Mutant {
  what: string
  file: string
  replace: string
  by: string
  /** The worlds of the simulation that show it, if any can. */
  worlds: readonly string[]
  /** The stories of the fault suite that show it: each of them does. */
  stories: readonly string[]
}

const CLAIM = 'src/messages/claim-queries.ts'
const DRAFT = 'src/messages/draft-queries.ts'

export const MUTANTS: Record<string, Mutant> = {
  'unconditional-claim': {
    what: 'an attempt that was overtaken sends what another one has sent',
    file: CLAIM,
    replace: `where (message.status = 'DEFERRED' and message.attempts = $7::integer)`,
    by: 'where true',
    worlds: ['enroll'],
    stories: ['overtaken'],
  },
  'dead-is-deferred': {
    what: 'a message whose sender died in the middle of the hand-over is sent again',
    file: DRAFT,
    replace: "set status = 'UNCONFIRMED', error = '${SENDER_DIED}'",
    by: "set status = 'DEFERRED', error = '${SENDER_DIED}'",
    worlds: ['enroll'],
    stories: ['sender-dies'],
  },
  'no-lease': {
    what: 'a claim whose owner may be alive is taken for dead',
    file: DRAFT,
    replace: "and status = 'SENDING' and lease_until <= clock_timestamp()",
    by: "and status = 'SENDING'",
    worlds: ['twice', 'delete'],
    stories: ['sender-naps'],
  },
  'claim-while-paused': {
    what: 'the claim does not ask whether the automation may send',
    file: CLAIM,
    replace: 'where id = $4::uuid and deleted_at is null and status in ${SENDING_STATUSES}',
    by: 'where id = $4::uuid and deleted_at is null',
    worlds: ['pause'],
    stories: ['paused-before-the-claim'],
  },
  'claim-of-a-deleted': {
    what: 'the claim does not ask whether the automation was deleted',
    file: CLAIM,
    replace: 'where id = $4::uuid and deleted_at is null and status in ${SENDING_STATUSES}',
    by: 'where id = $4::uuid and status in ${SENDING_STATUSES}',
    worlds: ['delete'],
    stories: ['deleted-before-the-claim'],
  },
  'claim-of-an-unsubscribed': {
    what: 'the claim does not ask whether the contact has unsubscribed since the email was drafted',
    file: CLAIM,
    replace: ' and contact.consents = $19::integer',
    by: ' and $19::integer >= 0',
    // Mostly it is met by nobody who is not made to stand there.
    worlds: [],
    stories: ['unsubscribed-before-the-claim'],
  },
  'claim-of-a-campaign-again': {
    what: 'an attempt at an email of a campaign that was overtaken sends what another one has sent',
    file: 'src/campaigns/send-queries.ts',
    replace: `and message.attempts = asked.attempts and message.status in ('QUEUED', 'DEFERRED')
returning message.id\`

export interface ManySettled`,
    by: `returning message.id\`

export interface ManySettled`,
    worlds: ['campaign-overtaken'],
    stories: ['campaign-claimed-elsewhere'],
  },
  'claim-of-a-paused-campaign': {
    what: 'the claim does not ask whether the campaign is sending',
    file: 'src/campaigns/send-queries.ts',
    replace: `where id = $1::uuid and status = 'SENDING' and`,
    by: 'where id = $1::uuid and',
    worlds: ['campaign-paused', 'campaign-stopped'],
    stories: ['campaign-paused-before-the-claim'],
  },
  'checkpoint-before-recipients': {
    what: 'the mark of how far a campaign is moves when its recipients are fetched, and not with their rows',
    file: 'src/campaigns/recipients-queries.ts',
    replace: `  const [row] = await sql<{ written: number; cursor: number; walked: boolean }>(
    em,
    \`with campaign as (
       select id, last_place from campaigns
       where id = $1::uuid and status = 'SENDING' and cursor = $3::bigint and not walked for update`,
    // Who is to be stopped there stands between the two.
    by: `  await sql(em, \`update campaigns set cursor = coalesce((
      select max(place) from (
        select place from contacts where workspace_id = campaigns.workspace_id
          and place > campaigns.cursor and place <= campaigns.last_place order by place limit \${CONTACTS_AT_ONCE}
      ) page
    ), cursor) where id = $1::uuid\`, [campaign.id])
  await globalThis.faultPoint?.('worker: recipients walked')
  const [row] = await sql<{ written: number; cursor: number; walked: boolean }>(
    em,
    \`with campaign as (
       select id, last_place from campaigns
       where id = $1::uuid and status = 'SENDING' and not walked for update`,
    worlds: ['campaign-worker-dies'],
    stories: ['campaign-walker-dies'],
  },
  'claim-of-an-opted-out-recipient': {
    what: 'the claim of a campaign does not ask whether the recipient has opted out since the email was prepared',
    file: 'src/campaigns/send-queries.ts',
    replace: 'contact.consents = asked.consents',
    by: 'asked.consents >= 0',
    worlds: ['campaign-stopped'],
    stories: ['campaign-opt-out-before-the-claim'],
  },
  'cancelled-stays-queued': {
    what: 'what a cancelled campaign did not send is left without a final status',
    file: 'src/campaigns/advance-campaign.ts',
    replace: 'if ((await dismissQueued(em, campaignId, DISMISSED_AT_ONCE)) === DISMISSED_AT_ONCE)',
    by: 'if (DISMISSED_AT_ONCE === 0)',
    worlds: ['campaign-stopped'],
    stories: ['campaign-cancelled-before-the-claim'],
  },
  'throttled-to-nobody': {
    what: 'a campaign of fewer than 360 emails an hour takes none at a time',
    file: 'src/campaigns/advance-campaign.ts',
    replace: 'Math.max(1, Math.min(PAGE, Math.floor(throttlePerHour / 360)))',
    by: 'Math.min(PAGE, Math.floor(throttlePerHour / 360))',
    worlds: ['campaign-throttled'],
    stories: [],
  },
  'no-throttle': {
    what: 'a campaign does not keep its rate',
    file: 'src/campaigns/advance-campaign.ts',
    replace: 'if (keepsOwnRate) campaign.nextAt = await keepRate(em, id, page.length)',
    by: 'if (keepsOwnRate) await keepRate(em, id, 0)',
    worlds: ['campaign-throttled'],
    stories: [],
  },
  'warm-up-without-end': {
    what: 'a sender that is warmed up takes as many places as it wants',
    file: 'src/senders/warm-up-queries.ts',
    replace: 'least($2::integer, greatest(warm_up.allowed - day.mailed, 0))',
    by: '$2::integer',
    worlds: ['warm-up'],
    stories: [],
  },
  'fail-over-of-what-may-be-taken': {
    what: 'a message of unknown outcome is sent by the next mail server',
    file: 'src/transports/fail-over.ts',
    replace: "  delivery.kind === 'not-sent' && (",
    by: "  delivery.kind === 'unknown' || (delivery as { serverFailed?: boolean }).serverFailed === true && (",
    worlds: ['fail-over'],
    stories: [],
  },
  'claim-of-an-erased': {
    what: 'the claim takes no lock on the contact, whom somebody erases',
    file: CLAIM,
    replace: '  join contact on contact.id = enrollment.contact_id\n  where enrollment.id = $1::uuid',
    by: '  where enrollment.id = $1::uuid',
    worlds: ['erase'],
    stories: ['erased-while-claimed'],
  },
  'defer-forgets-claim': {
    what: 'a claim whose answer was lost is left as it is, although nothing was handed over',
    file: 'src/messages/sending.ts',
    replace: 'if (claimUnknown) await untilDone(putOff)',
    by: 'if (claimUnknown) void putOff',
    worlds: ['enroll'],
    stories: ['claim-without-an-answer'],
  },
  'record-gives-up': {
    what: 'what the mail server answered is forgotten at the first error of the database',
    file: 'src/messages/record-for-sure.ts',
    replace: '    await untilDone(() => recordOutcome(em.fork(), message, outcome, content))\n',
    by: '    await recordOutcome(em.fork(), message, outcome, content).catch(() => undefined)\n',
    worlds: ['enroll'],
    stories: ['answer-and-no-database'],
  },
  'hold-is-no-fence': {
    what: 'an attempt that looked before a hold claims after it, and nobody tells the workflow to go on',
    file: CLAIM,
    replace: 'enrollment.holds = $16::integer and',
    by: '$16::integer >= 0 and',
    worlds: ['pause'],
    stories: ['held-elsewhere'],
  },
  'no-break-off': {
    what: 'a sender that was stopped past its lease hands over all the same',
    file: 'src/messages/hand-over-leases.ts',
    replace: 'sentAt + LEASE_SECONDS * 1000 - MARGIN_MS',
    by: 'sentAt + LEASE_SECONDS * 1000 + 150_000',
    worlds: ['delete', 'erase'],
    stories: ['past-its-lease'],
  },
  'impatient-delete': {
    what: 'DELETE and erasure answer without waiting for what is being handed over',
    file: 'src/messages/wait-for-senders.ts',
    replace: '(await count()) > 0',
    by: '(await count()) > 1_000',
    worlds: ['delete', 'erase'],
    stories: ['deleted-beside-a-hand-over', 'erased-beside-a-hand-over'],
  },
  'erase-leaves-the-rest': {
    what: 'what was being handed over to a contact who was erased stays in the ledger',
    file: 'src/contacts/erase-contact.ts',
    replace: '  await erasure.eraseRest(fork, id)\n',
    by: '',
    worlds: ['erase'],
    stories: ['erased-beside-a-hand-over'],
  },
  'no-relay': {
    what: 'nobody delivers what a crash left undelivered',
    file: 'src/relay/relay.ts',
    replace: 'else if (due.length > 0) await deliver(dependencies, due, concurrency)',
    by: '',
    worlds: ['event'],
    stories: ['api-dies-before-it-delivers'],
  },
  'settled-before-delivery': {
    what: 'a delivery is settled before it has arrived',
    file: 'src/enrollments/deliver.ts',
    replace: 'await deliverOne(dependencies, delivery, starts.get(delivery.id))',
    by: 'await settleDeliveries(em.fork(), [delivery]); await deliverOne(dependencies, delivery, starts.get(delivery.id))',
    worlds: ['event'],
    stories: ['temporal-away'],
  },
  'nothing-written': {
    what: 'the deliveries of an event are not written with it',
    file: 'src/triggers/queries.ts',
    replace: 'row.is_new ? await enqueueForCaller(em, starts) : []',
    by: '[]',
    worlds: ['event'],
    stories: ['fired-event'],
  },
  'heard-is-forgotten': {
    what: 'what an enrollment has heard starts it again when it is delivered again',
    file: 'src/enrollments/queries.ts',
    replace: 'where automation.id = $1::uuid and event.id = any($3::uuid[])',
    by: 'where false and automation.id = $1::uuid and event.id = any($3::uuid[])',
    worlds: ['heard'],
    stories: ['delivered-again-after-the-end'],
  },
  'swallowed-event': {
    what: 'a run that has nothing to do takes with it who came meanwhile',
    file: 'workflows/enrollment.ts',
    replace: 'const [entry, ...heard] = callsFirst(run.heard)',
    by: 'const [entry, ...heard] = [] as typeof run.heard',
    worlds: ['again'],
    stories: ['fired-into-a-run-with-nothing-to-do'],
  },
  'nobody-doubts': {
    what: 'a workflow that is over by the ledger, because Temporal came back from a backup, takes with it who enters',
    file: 'workflows/enrollment.ts',
    replace: 'entry.enrollmentId !== own) this.doubted = true',
    by: 'entry.enrollmentId !== own) this.doubted = false',
    worlds: ['behind'],
    stories: ['behind-the-ledger'],
  },
  'acknowledged-before-start': {
    what: 'a call is acknowledged although the workflow was not started',
    file: 'src/enrollments/enroll-contact.ts',
    replace: 'const started = await enrollments.start(start)',
    by: `const started = await enrollments.start(start).catch(() => undefined)
  if (started === undefined) return answer(true)`,
    worlds: ['enroll'],
    stories: ['temporal-away'],
  },
  'short-wait': {
    what: 'a wait ends early',
    file: 'src/sequences/steps/wait.ts',
    replace: 'delayMinutes * 60_000',
    by: 'delayMinutes * 50_000',
    worlds: ['enroll'],
    stories: ['waits'],
  },
  'skipped-step': {
    what: 'a step is skipped behind a wait',
    file: 'src/sequences/machine.ts',
    replace: 'enter(steps, positionOf(steps, state) + 1, state, now)',
    by: `enter(steps, positionOf(steps, state) + (state.waitingFor === 'time' ? 2 : 1), state, now)`,
    worlds: ['enroll'],
    stories: ['waits'],
  },
  'lost-change': {
    what: 'a change that comes while an email is looked at is not seen',
    file: 'src/sequences/machine.ts',
    replace: 'return stay({ ...state, changed: true })',
    by: 'return stay(state)',
    worlds: ['pause'],
    stories: ['woken-while-held'],
  },
  'nobody-wakes': {
    what: 'whoever was held stays held',
    file: 'src/automations/automations.ts',
    replace: `await enqueue(fork, { kind: 'WAKE_HELD', automationId: automation.id })`,
    by: 'void enqueue',
    worlds: ['pause'],
    stories: ['held-and-woken'],
  },
  'nobody-tears-down': {
    what: 'the enrollments of a deleted automation go on for ever',
    file: 'src/automations/delete-automation.ts',
    replace: `await enqueue(transaction, { kind: 'TEAR_DOWN', automationId: id })`,
    by: 'void enqueue',
    worlds: ['delete'],
    stories: ['torn-down'],
  },
  'lost-is-forgotten': {
    what: 'what was due between a backup and the loss is sent again',
    file: 'src/messages/send-message.ts',
    replace: `if (draft.lostUntil && draft.workspaceMode === 'live') {`,
    by: 'if (draft.lostUntil && !draft) {',
    worlds: [],
    stories: ['older-ledger'],
  },
  'events-stay-lost': {
    what: 'a reconciliation leaves what Temporal has lost of events to the rounds of the workers',
    file: 'src/relay/reconcile.ts',
    replace: 'lostEvents(em.fork(), { afterId, limit, atLeastMinutes: 0 })',
    by: 'lostEvents(em.fork(), { afterId, limit, atLeastMinutes: 10 })',
    worlds: [],
    stories: ['older-temporal'],
  },
  'answer-apart': {
    what: 'what a call did and the answer that is kept of it are two transactions',
    file: 'src/http/run-change.ts',
    replace: 'await attempt?.store(em, answer, {',
    by: 'await attempt?.store(dependencies.em.fork(), answer, {',
    worlds: ['idempotent'],
    stories: ['done-and-not-answered'],
  },
}
