/** A deliberately broken build: one text in one file of the source is replaced. */
export interface Replacement {
  what: string
  file: string
  replace: string
  by: string
}

/** A build that breaks one guarantee, or one decision that keeps it. Both suites have to fail with it. */
export interface Mutant extends Replacement {
  /** The worlds of the simulation in which it fails. A mutant has a world or a story. */
  worlds: readonly string[]
  /** The stories of the fault suite in which it fails: all of them. */
  stories: readonly string[]
}

const STORE = 'src/messages/store-queries.ts'
const SEND = 'src/messages/send.ts'
const STEP = 'src/enrollments/step-source.ts'
const CAMPAIGN = 'src/campaigns/campaign-source.ts'

/** Transitions of a message (`src/messages/transitions.ts`). */
const TRANSITIONS: Record<string, Mutant> = {
  'unconditional-claim': {
    what: 'a superseded attempt sends what another one has already sent',
    file: 'src/messages/store.ts',
    replace: 'const held: ReadonlySet<string> = new Set(changes.map(({ claim }) => claim))',
    by: 'const held: ReadonlySet<string> = new Set([...changes, ...rows].map(({ claim }) => claim))',
    worlds: ['enroll', 'campaign-overtaken'],
    stories: ['overtaken'],
  },
  'stale-claim': {
    what: 'an attempt claims a message that another one has claimed since',
    file: STORE,
    replace: '    and message.attempts = given.attempts and message.status = given.before\n',
    by: '',
    worlds: ['campaign-overtaken'],
    stories: ['campaign-claimed-elsewhere'],
  },
  'dead-is-deferred': {
    what: 'SENDING becomes DEFERRED instead of UNCONFIRMED when its sender has died',
    file: 'src/messages/write-queries.ts',
    replace: "update messages set status = 'UNCONFIRMED', error = $1, lease_until = null, retry_at = null",
    by: "update messages set status = 'DEFERRED', error = $1, lease_until = null, retry_at = null",
    worlds: ['enroll', 'campaign-worker-dies'],
    stories: ['sender-dies'],
  },
  'no-lease': {
    what: 'a step treats a claim as abandoned although its owner may be alive',
    file: 'src/messages/lease-queries.ts',
    replace: "where id = $2::uuid and status = 'SENDING' and lease_until <= clock_timestamp()",
    by: "where id = $2::uuid and status = 'SENDING'",
    worlds: ['late-begin'],
    stories: [],
  },
  'no-lease-of-a-campaign': {
    what: 'a campaign treats a claim as abandoned although its owner may be alive',
    file: 'src/messages/lease-queries.ts',
    replace: 'message.lease_until <= clock_timestamp() - make_interval(secs => ${grace}::float8)',
    by: '${grace}::float8 >= 0',
    worlds: ['campaign-late-begin'],
    stories: ['campaign-sender-naps'],
  },
  'begun-is-released': {
    what: 'a message that was claimed ahead is sent again although its sender died after it began',
    file: 'src/messages/ahead-queries.ts',
    replace: 'delete from claims_ahead where claim = any($1::uuid[]) returning claim',
    by: 'select claim from claims_ahead where claim = any($1::uuid[])',
    worlds: ['campaign-worker-dies'],
    stories: [],
  },
  'late-answer-is-lost': {
    what: 'UNCONFIRMED does not become SENT when its sender reports late that it was sent',
    file: STORE,
    replace: "and (message.status in ('SENDING', 'UNCONFIRMED')) is true",
    by: "and message.status = 'SENDING'",
    worlds: ['late-answer'],
    stories: ['late-answer'],
  },
  'late-deferral': {
    what: 'UNCONFIRMED becomes DEFERRED when its sender reports late that it was not sent, and is never tried again',
    file: STORE,
    replace:
      "case when message.status = 'UNCONFIRMED' and message.claim = given.claim then 'UNCONFIRMED' else given.status end",
    by: 'given.status',
    worlds: ['claim-answer'],
    stories: ['late-deferral'],
  },
  'claim-is-not-deferred': {
    what: 'SENDING does not become DEFERRED although nothing was transmitted',
    file: STORE,
    replace: "(message.claim = given.claim and message.status in ('SENDING', 'UNCONFIRMED'))\n    or",
    by: 'false or',
    worlds: ['claim-answer'],
    stories: ['claim-without-an-answer'],
  },
  'answer-is-forgotten': {
    what: 'SENDING does not become SENT if the database fails once',
    file: 'src/messages/store.ts',
    replace: '      await untilDone(() => record({ ...attempt, outcome, content }))\n',
    by: '      await record({ ...attempt, outcome, content }).catch(() => undefined)\n',
    worlds: ['failed-record'],
    stories: ['answer-and-no-database'],
  },
  'refused-is-deferred': {
    what: 'SENDING becomes DEFERRED instead of FAILED when the mail server rejects the email',
    file: SEND,
    replace: "return { status: 'FAILED', error: asText(delivery.reason), isRejected: true }",
    by: "return { status: 'DEFERRED', error: asText(delivery.reason) }",
    worlds: ['refused'],
    stories: [],
  },
  'unknown-is-deferred': {
    what: 'SENDING becomes DEFERRED instead of UNCONFIRMED when the response of the mail server was lost',
    file: SEND,
    replace: "return { status: 'UNCONFIRMED', error: asText(delivery.reason) }",
    by: "return { status: 'DEFERRED', error: asText(delivery.reason) }",
    worlds: ['enroll', 'fail-over'],
    stories: ['answer-is-lost'],
  },
  'test-mode-is-delivered': {
    what: 'an email of a test workspace is sent instead of CAPTURED',
    file: 'src/instance/sending-gate.ts',
    replace: "workspaceMode === 'live' && mail === 'smtp'",
    by: "mail === 'smtp'",
    worlds: ['captured'],
    stories: [],
  },
  'captured-is-failed': {
    what: 'an email of a test workspace becomes FAILED instead of CAPTURED',
    file: SEND,
    replace: "this.finalize({ status: 'CAPTURED', content })",
    by: "this.finalize({ status: 'FAILED', error: 'Not delivered', content })",
    worlds: ['captured'],
    stories: [],
  },
  'never-suppressed': {
    what: 'an email to a contact who opted out does not become SUPPRESSED',
    file: 'src/messages/prepare.ts',
    replace: 'suppressionOf(recipient, { category, listIds }) ??',
    by: 'null ??',
    worlds: ['campaign-stopped', 'unsubscribe'],
    stories: ['unsubscribed-before-the-claim'],
  },
  'opt-out-of-a-list-is-ignored': {
    what: 'an opt-out of a list that included the recipient does not suppress the message',
    file: 'src/contacts/suppression-rules.ts',
    replace: "    if (listIds.some((id) => optOutListIds.includes(id))) reasons.add('LEFT_LIST')\n",
    by: '',
    worlds: ['campaign-stopped'],
    stories: [],
  },
  'refused-retry-of-unconfirmed': {
    what: 'an UNCONFIRMED message becomes FAILED when the mail server rejects its retry',
    file: 'src/messages/transitions.ts',
    replace: "  if (before === 'UNCONFIRMED') return 'UNCONFIRMED'\n",
    by: "  if (before === 'UNCONFIRMED' && outcome !== 'FAILED') return 'UNCONFIRMED'\n",
    worlds: ['retry-unconfirmed'],
    stories: [],
  },
  'deferred-retry': {
    what: 'a FAILED message becomes DEFERRED when its retry could not be sent yet, and is not retried',
    file: 'src/messages/transitions.ts',
    replace: "  if (outcome === 'DEFERRED' && isRetryable(before)) return before\n",
    by: '',
    worlds: ['retry'],
    stories: [],
  },
  'captured-is-not-retried': {
    what: 'a CAPTURED message is not sent when its retry is requested',
    file: 'src/messages/deliver-retry.ts',
    replace: 'const message = isRetryable(stored.status) ?',
    by: "const message = isRetryable(stored.status) && stored.status !== 'CAPTURED' ?",
    worlds: ['captured'],
    stories: [],
  },
  'deferred-is-final': {
    what: 'a step continues without sending its DEFERRED message',
    file: 'src/enrollments/send-step.ts',
    replace: "if (stored && stored.status !== 'DEFERRED')",
    by: 'if (stored)',
    worlds: ['enroll'],
    stories: [],
  },
  'dismissed-is-unconfirmed': {
    what: 'UNCONFIRMED does not become DISMISSED when an operator dismisses it',
    file: 'src/messages/queue-queries.ts',
    replace: "set status = 'DISMISSED', retry_at = null",
    by: 'set retry_at = null',
    worlds: ['dismiss'],
    stories: [],
  },
  'retry-keeps-its-mark': {
    what: 'a message is retried twice although only one retry was requested',
    file: STORE,
    replace: 'message_id = given.message_id, retry_at = null,',
    by: 'message_id = given.message_id,',
    worlds: ['retry'],
    stories: [],
  },
  'dismissed-while-sent': {
    what: 'an operator dismisses a message that is being retried',
    file: 'src/messages/queue-queries.ts',
    replace: 'where id = $1::uuid and status = $2 and status in',
    by: 'where id = $1::uuid and $2 is not null and status in',
    worlds: ['dismiss'],
    stories: [],
  },
  'cancelled-stays-queued': {
    what: 'QUEUED does not become DISMISSED when its campaign is cancelled',
    file: 'src/campaigns/advance-campaign.ts',
    replace: 'const dismissed = await dismissMessages(em, { campaignId, limit: pageSizes.dismissed }, CANCELLED)',
    by: 'const dismissed = [em, CANCELLED].length',
    worlds: ['campaign-stopped'],
    stories: ['campaign-cancelled-before-the-claim'],
  },
  'deferred-after-the-end': {
    what: 'a message whose enrollment has ended becomes DEFERRED instead of DISMISSED',
    file: 'src/messages/store.ts',
    replace: "message.intent === 'send' && ended.has(message)",
    by: 'ended === undefined',
    worlds: ['exit'],
    stories: [],
  },
  'lost-is-forgotten': {
    what: 'an email that was due between a backup and the loss is sent again',
    file: 'src/enrollments/send-step.ts',
    replace: 'const due = settings.lostUntil && (await',
    by: 'const due = false && (await',
    worlds: [],
    stories: ['older-ledger'],
  },
}

/** Conditions that stop an email. Each is a condition of a claim. */
const STOPS: Record<string, Mutant> = {
  'claim-while-paused': {
    what: 'the claim does not check whether the automation sends',
    file: STEP,
    replace: "      if (message.intent !== 'resend' && !canSend(automation)) return false\n",
    by: '',
    worlds: ['pause'],
    stories: ['paused-before-the-claim'],
  },
  'claim-of-a-deleted': {
    what: 'the claim does not check whether the automation was deleted',
    file: 'src/automations/lock-queries.ts',
    replace: 'where id = any($1::uuid[]) and deleted_at is null',
    by: 'where id = any($1::uuid[])',
    worlds: ['delete'],
    stories: ['deleted-before-the-claim'],
  },
  'claim-of-an-unsubscribed': {
    what: 'the claim does not check whether the contact opted out since the email was prepared',
    file: STEP,
    replace:
      'if (contact.email !== message.contact.email || contact.consentVersion !== message.consentVersion) return false',
    by: 'if (contact.email !== message.contact.email) return false',
    worlds: ['unsubscribe'],
    stories: ['unsubscribed-before-the-claim'],
  },
  'claim-of-an-ended': {
    what: 'the claim does not check whether the enrollment has ended',
    file: STEP,
    replace: "return enrollment?.status === 'ACTIVE' && enrollment.pauseCount === message.pauseCount",
    by: 'return enrollment?.pauseCount === message.pauseCount',
    worlds: ['exit'],
    stories: ['ended-before-the-claim'],
  },
  'hold-is-no-fence': {
    what: 'an attempt that was prepared before a pause claims after it, and the workflow is never woken',
    file: STEP,
    replace: "return enrollment?.status === 'ACTIVE' && enrollment.pauseCount === message.pauseCount",
    by: "return enrollment?.status === 'ACTIVE'",
    worlds: ['pause'],
    stories: ['paused-elsewhere'],
  },
  'claim-of-a-paused-campaign': {
    what: 'the claim does not check whether the campaign sends',
    file: CAMPAIGN,
    replace: "      if (intent === 'send' && status !== 'SENDING') return false\n",
    by: '',
    worlds: ['campaign-paused', 'campaign-stopped'],
    stories: ['campaign-paused-before-the-claim'],
  },
  'retry-of-a-cancelled-campaign': {
    what: 'the claim of a retry does not check whether the campaign was cancelled',
    file: CAMPAIGN,
    replace: "      if (intent === 'retry' && !SENDS_RETRIES.includes(status)) return false\n",
    by: '',
    worlds: ['campaign-retry'],
    stories: [],
  },
  'claim-of-an-opted-out-recipient': {
    what: 'the claim of a campaign does not check whether the recipient opted out since the email was prepared',
    file: CAMPAIGN,
    replace: 'return now.email === contact.email && now.consentVersion === consentVersion',
    by: 'return now.email === contact.email',
    worlds: ['campaign-stopped'],
    stories: ['campaign-opt-out-before-the-claim'],
  },
  'contact-is-not-locked': {
    what: 'the claim reads the contact without a lock, and an opt-out or an erasure commits before the claim does',
    file: 'src/contacts/recipients-queries.ts',
    replace: 'order by id for share',
    by: 'order by id',
    worlds: ['campaign-stopped', 'erase'],
    stories: ['opted-out-while-claimed'],
  },
  'claim-while-disabled': {
    what: 'the claim does not check whether sending is disabled',
    file: 'src/messages/store.ts',
    replace: 'new Set(gate.isOpen ? allowed : [])',
    by: 'new Set(allowed)',
    worlds: [],
    stories: ['restored-before-the-claim'],
  },
  'begins-late': {
    what: 'a worker that was stopped after its claim begins to transmit although the stop request has stopped waiting',
    file: SEND,
    replace: 'lease.holds() && ageMs() < BEGIN_WITHIN_MS',
    by: 'lease.holds()',
    worlds: ['late-begin'],
    stories: [],
  },
  'begins-after-its-lease': {
    what: 'a worker begins to transmit although its lease has expired',
    file: SEND,
    replace: 'lease.holds() && ageMs() < BEGIN_WITHIN_MS',
    by: 'ageMs() >= 0',
    worlds: ['late-begin'],
    stories: ['past-its-lease'],
  },
  'lease-is-not-renewed': {
    what: 'a worker does not renew the lease of a slow email',
    file: 'src/messages/leases.ts',
    replace: 'if (renewed.has(claim)) extend(claim, sentAt)',
    by: 'if (renewed.has(claim)) continue',
    worlds: ['slow-mail'],
    stories: [],
  },
  'no-break-off': {
    what: 'a sender whose lease has expired continues to transmit',
    file: 'src/messages/leases.ts',
    replace: 'sentAt + LEASE_SECONDS * 1000 - MARGIN_MS',
    by: 'sentAt + LEASE_SECONDS * 1000 + 150_000',
    worlds: [],
    stories: ['stopped-in-the-middle'],
  },
  'impatient-stop': {
    what: 'a stop request does not wait for emails in flight',
    file: 'src/messages/leases.ts',
    replace: '(await count()) > 0',
    by: '(await count()) > 1_000',
    worlds: ['campaign-stopped', 'delete', 'erase'],
    stories: ['deleted-beside-a-hand-over', 'erased-beside-a-hand-over'],
  },
}

/** Campaigns: their recipients, schedule and rate. */
const CAMPAIGNS: Record<string, Mutant> = {
  'cursor-before-recipients': {
    what: 'a campaign moves its cursor before it queues the recipients',
    file: 'src/campaigns/recipients.ts',
    replace: `  return em.transactional(async (unit) => {
    const page = await recipientsPage(unit, campaign, of, listsOf(of))
    if (!page) return undefined
`,
    // Lets a test stop a process between the two transactions.
    by: `  const page = await em.transactional(async (unit) => {
    const found = await recipientsPage(unit, campaign, of, listsOf(of))
    if (found) await advanceCursor(unit, campaign.id, { cursor: found.last, materialized: found.isLast, queued: 0 })
    return found
  })
  await globalThis.faultPoint?.('worker: recipients materialized')
  if (!page) return undefined
  return em.transactional(async (unit) => {
`,
    worlds: ['campaign-worker-dies'],
    stories: ['campaign-walker-dies'],
  },
  'winner-to-some': {
    what: 'the process that decides an A/B test releases only one recipient for the winner, and no process releases the others',
    file: 'src/campaigns/decide-winner.ts',
    replace: 'return (await releaseRecipients(unit, id, winner, pageSizes.released)) > 0',
    by: 'return decision.winner === null && (await releaseRecipients(unit, id, winner, 1)) > 0',
    worlds: ['campaign-test'],
    stories: [],
  },
  'throttled-to-nobody': {
    what: 'a campaign of fewer than 360 emails an hour sends none at a time',
    file: 'src/campaigns/advance-campaign.ts',
    replace: 'Math.max(1, Math.min(PAGE, Math.floor(throttlePerHour / 360)))',
    by: 'Math.min(PAGE, Math.floor(throttlePerHour / 360))',
    worlds: ['campaign-throttled'],
    stories: [],
  },
  'no-throttle': {
    what: 'a campaign does not keep its rate',
    file: 'src/campaigns/advance-campaign.ts',
    replace: 'if (keepsOwnRate) campaign.nextAt = await applyThrottle(em, id, messages.length)',
    by: 'if (keepsOwnRate) await applyThrottle(em, id, 0)',
    worlds: ['campaign-throttled'],
    stories: [],
  },
  'warm-up-without-end': {
    what: 'a sender ignores its warm-up limit',
    file: 'src/senders/warm-up-queries.ts',
    replace: 'least($2::integer, greatest(warm_up.allowed - day.mailed, 0))',
    by: '$2::integer',
    worlds: ['warm-up'],
    stories: [],
  },
  'fail-over-of-what-may-be-taken': {
    what: 'a message of unknown outcome is sent again by the next mail server',
    file: 'src/smtp/fail-over.ts',
    replace: "  delivery.kind === 'not-sent' && delivery.serverFailed\n",
    by: "  delivery.kind === 'unknown' || (delivery.kind === 'not-sent' && delivery.serverFailed)\n",
    worlds: ['fail-over'],
    stories: [],
  },
}

/** Enrollments and all other guarantees. */
const OTHERS: Record<string, Mutant> = {
  'erase-leaves-the-rest': {
    what: 'an email in flight to an erased contact stays in the database',
    file: 'src/contacts/erase-contact.ts',
    replace: 'await erasure.eraseRest(fork, contact)\n}',
    by: '}',
    worlds: ['erase'],
    stories: ['erased-beside-a-hand-over'],
  },
  'no-relay': {
    what: 'deliveries that a crash interrupted are never completed',
    file: 'src/relay/relay.ts',
    replace: 'else if (due.length > 0) await deliver(dependencies, due, concurrency)',
    by: '',
    worlds: ['event'],
    stories: ['api-dies-before-it-delivers'],
  },
  'settled-before-delivery': {
    what: 'a delivery is marked as completed before it has arrived',
    file: 'src/relay/deliver.ts',
    replace: 'await deliverOne(dependencies, delivery, starts.get(delivery.id))',
    by: 'await completeDeliveries(em.fork(), [delivery]); await deliverOne(dependencies, delivery, starts.get(delivery.id))',
    worlds: ['event'],
    stories: ['temporal-away'],
  },
  'nothing-written': {
    what: 'the deliveries of an event are not written in its transaction',
    file: 'src/triggers/queries.ts',
    replace: 'isBulk ? [] : await enqueueForCaller(em, starts)',
    by: '[]',
    worlds: ['event'],
    stories: ['fired-event'],
  },
  'received-is-forgotten': {
    what: 'an event that an enrollment has processed starts another one when it is delivered again',
    file: 'src/enrollments/queries.ts',
    replace: 'where automation_id = $2::uuid and contact_id = $3::uuid and event_id = $5::uuid',
    by: 'where false and automation_id = $2::uuid and contact_id = $3::uuid and event_id = $5::uuid',
    worlds: ['received'],
    stories: ['delivered-again-after-the-end'],
  },
  'swallowed-event': {
    what: 'a run that ends without work drops the events that arrived in the meantime',
    file: 'workflows/enrollment.ts',
    replace: 'const [entry, ...received] = callsFirst(run.received)',
    by: 'const [entry, ...received] = [] as typeof run.received',
    worlds: ['again'],
    stories: ['fired-into-a-run-with-nothing-to-do'],
  },
  'nobody-doubts': {
    what: 'a workflow whose enrollment has ended (after a restore of Temporal) drops contacts who enter',
    file: 'workflows/enrollment.ts',
    replace: 'entry.enrollmentId !== own) this.doubted = true',
    by: 'entry.enrollmentId !== own) this.doubted = false',
    worlds: ['behind'],
    stories: ['behind-the-ledger'],
  },
  'acknowledged-before-start': {
    what: 'an enrollment is acknowledged although its workflow was not started',
    file: 'src/enrollments/enroll-contact.ts',
    replace: 'const started = await enrollments.start(start)',
    by: `const started = await enrollments.start(start).catch(() => undefined)
  if (started === undefined) return result(true)`,
    worlds: ['enroll'],
    stories: ['temporal-away'],
  },
  'short-wait': {
    what: 'a wait ends early',
    file: 'src/automation-engine/steps/wait.ts',
    replace: 'delayMinutes * 60_000',
    by: 'delayMinutes * 50_000',
    worlds: ['enroll'],
    stories: ['waits'],
  },
  'skipped-step': {
    what: 'a step after a wait is skipped',
    file: 'src/automation-engine/machine.ts',
    replace: 'enter(steps, successorOf(steps, positionOf(steps, state)), state, now)',
    by: `enter(steps, positionOf(steps, state) + (state.waitingFor === 'time' ? 2 : 1), state, now)`,
    worlds: ['enroll'],
    stories: ['waits'],
  },
  'lost-change': {
    what: 'a change is lost if it arrives while an email is being prepared',
    file: 'src/automation-engine/machine.ts',
    replace: 'return stay({ ...state, changed: true })',
    by: 'return stay(state)',
    worlds: ['pause'],
    stories: ['woken-while-paused'],
  },
  'nobody-wakes': {
    what: 'paused enrollments stay paused after a resume',
    file: 'src/automations/automations.ts',
    replace: `await enqueue(fork, { kind: 'WAKE_PAUSED', automationId: automation.id })`,
    by: 'void enqueue',
    worlds: ['pause'],
    stories: ['paused-and-woken'],
  },
  'nobody-tears-down': {
    what: 'the enrollments of a deleted automation continue forever',
    file: 'src/automations/delete-automation.ts',
    replace: `await enqueue(transaction, { kind: 'DELETE_AUTOMATION', automationId: id })`,
    by: 'void enqueue',
    worlds: ['delete'],
    stories: ['torn-down'],
  },
  'events-stay-lost': {
    what: 'a reconciliation leaves events that Temporal has lost to the periodic job of the workers',
    file: 'src/relay/reconcile.ts',
    replace: 'lostEvents(em.fork(), { afterId, limit, atLeastMinutes: 0 })',
    by: 'lostEvents(em.fork(), { afterId, limit, atLeastMinutes: 10 })',
    worlds: [],
    stories: ['older-temporal'],
  },
  'answer-apart': {
    what: 'the effect of a request and its stored response are written in two transactions',
    file: 'src/http/run-change.ts',
    replace: 'await attempt?.store(em, answer, {',
    by: 'await attempt?.store(dependencies.em.fork(), answer, {',
    worlds: ['idempotent'],
    stories: ['done-and-not-answered'],
  },
}

/** Transactional emails. */
const EMAILS: Record<string, Mutant> = {
  'email-forgets-its-request': {
    what: 'a repeated request sends a second transactional email',
    file: 'src/emails/queue-emails.ts',
    replace: 'queueShared(em, { workspaceId, id, input })',
    by: 'queueShared(em, { workspaceId, id: newId(), input })',
    worlds: ['email'],
    stories: [],
  },
  'email-ignores-suppressions': {
    what: 'a transactional email is claimed although its address was suppressed after it was prepared',
    file: 'src/emails/email-source.ts',
    replace: 'return isSuppressed === (suppressedBy !== null)',
    by: 'return isSuppressed || suppressedBy === null',
    worlds: ['email-stopped'],
    stories: [],
  },
  'email-is-only-marked': {
    what: 'a cancelled transactional email is marked, and sent',
    file: 'src/emails/cancel-email.ts',
    replace: 'if ((await dismissMessages(unit, { ids: [id] }, CANCELLED)) > 0) await',
    by: 'if (id !== CANCELLED) await',
    worlds: ['email-stopped'],
    stories: [],
  },
}

/** Rules of automations: exits, concurrency keys, conditions and entries. */
const RULES: Record<string, Mutant> = {
  'exit-at-the-end-of-a-step': {
    what: 'an exit event does not end a wait, and takes effect at the end of the step',
    file: 'workflows/enrollment.ts',
    replace: "this.feed({ kind: 'exit', status })",
    by: "if (this.state.waitingFor !== 'time') this.feed({ kind: 'exit', status })",
    worlds: [],
    stories: ['exit-during-a-wait'],
  },
  'exit-without-the-row': {
    what: 'an exit event is acknowledged before the enrollment has ended in the database',
    file: 'src/enrollments/leave.ts',
    replace: 'if (!(await endEnrollmentByRule(em, enrollmentId, rule))) continue',
    by: '',
    worlds: ['leave'],
    stories: ['exit-before-the-claim'],
  },
  'key-is-ignored': {
    what: 'a contact is in an automation once, whatever its concurrency key',
    file: 'src/enrollments/entry-rules.ts',
    replace: "if (concurrency === undefined || concurrency === 'ONE') return ''",
    by: "if (concurrency !== null) return ''",
    worlds: [],
    stories: ['orders-with-keys'],
  },
  'event-of-another-key': {
    what: 'an event reaches the enrollments with other concurrency keys, too',
    file: 'src/enrollments/entry-rules.ts',
    replace: 'return value === undefined || value === null || (await hashOfKey(em, value)) === concurrencyKey',
    by: 'return value !== concurrencyKey',
    worlds: [],
    stories: ['orders-with-keys'],
  },
  'condition-in-the-workflow': {
    what: 'the workflow decides a condition instead of an activity, without the data of the contact',
    file: 'workflows/enrollment.ts',
    replace: 'result: await runStep(type, step) })',
    by: "result: type === 'CONDITION' ? { next: 'continue', branch: '0' } : await runStep(type, step) })",
    worlds: [],
    stories: ['condition-when-it-is-reached'],
  },
  'reentry-is-forgotten': {
    what: 'the rule for entering again forgets earlier enrollments',
    file: 'src/enrollments/entry-rules.ts',
    replace: "if (reentry === undefined || reentry === 'ALWAYS') return true",
    by: 'if (reentry !== null) return true',
    worlds: [],
    stories: ['enters-once'],
  },
}

const DELIVER = 'src/webhooks/deliver.ts'
const DELIVERIES = 'src/webhooks/queries.ts'

/** Webhooks. The statements that record events are in migrations, which no mutant changes. */
const WEBHOOKS: Record<string, Mutant> = {
  'webhook-before-its-answer': {
    what: 'a delivery is recorded before the receiver has answered',
    file: DELIVER,
    replace: 'const response = await request(\n',
    by: `await writeOutcomes(em.fork(), [{ event_position: eventPosition, endpoint_id: endpointId, attempts, status: 'DELIVERED',
      due_in: 0, entry: { at: at.toISOString(), durationMs: 0, url: endpoint.url, status: 200, problem: null, response: null } }])
    const response = await request(\n`,
    worlds: ['webhooks'],
    stories: [],
  },
  'webhook-lease-is-ignored': {
    what: 'a worker takes deliveries that belong to another one',
    file: DELIVERIES,
    replace: '          and (leased_until is null or leased_until <= now())\n        order by due_at',
    by: '        order by due_at',
    worlds: ['webhooks'],
    stories: [],
  },
  'webhook-lease-without-end': {
    what: 'the deliveries of a killed worker are never sent',
    file: DELIVERIES,
    replace: '    and (leased_until is null or leased_until <= now())\n)\nfor',
    by: '    and leased_until is null\n)\nfor',
    worlds: ['webhooks'],
    stories: [],
  },
  'webhook-order-is-ignored': {
    what: 'an event is sent although an earlier one of its contact was not',
    file: DELIVERIES,
    replace: "earlier.lane = considered.lane and earlier.status = 'PENDING' and earlier.attempts = 0",
    by: 'false',
    worlds: ['webhooks'],
    stories: [],
  },
  'webhook-failure-is-final': {
    what: 'an event is not sent again after a failed attempt',
    file: 'src/webhooks/plan-outcome.ts',
    replace: 'isPermanent ? undefined : RETRY_SECONDS[attempts]',
    by: 'isPermanent ? RETRY_SECONDS[attempts] : undefined',
    worlds: ['webhooks'],
    stories: [],
  },
  'webhook-kept-at-the-stop': {
    what: 'a worker that is stopped keeps its deliveries until their lease ends',
    file: DELIVER,
    replace: 'if (rest.length > 0) await releaseDeliveries(em.fork(), rest, 0).catch(() => undefined)',
    by: 'void rest',
    worlds: ['webhooks'],
    stories: [],
  },
  'webhook-is-not-checked': {
    what: 'a delivery is sent long after its contact was erased',
    file: DELIVER,
    replace: 'if (now - delivery.checkedAt <= freshMs) return true',
    by: 'if (now >= delivery.checkedAt) return true',
    worlds: ['webhooks-stopped'],
    stories: [],
  },
  'webhook-taken-just-now': {
    what: 'a worker that was stopped after it took deliveries sends them without a check',
    file: DELIVER,
    replace: 'takenAt: now, checkedAt: now',
    by: 'takenAt: now, checkedAt: Date.now()',
    worlds: ['webhooks-stopped'],
    stories: [],
  },
  'webhook-checked-just-now': {
    what: 'a worker that was stopped during the check sends the delivery',
    file: DELIVER,
    replace: 'if (Date.now() - now <= FRESH_MS) return true',
    by: 'if (Date.now() >= now) return true',
    worlds: ['webhooks-stopped'],
    stories: [],
  },
}

/** Moves to another version. */
const MOVES: Record<string, Mutant> = {
  'place-of-a-move-forgotten': {
    what: 'a moved enrollment that loses its workflow continues after the last of all steps that it has passed',
    file: 'src/enrollments/moved-to.ts',
    replace: 'if (moved === null) return [...results]',
    by: 'if (moved !== undefined) return [...results]',
    worlds: ['move-reordered'],
    stories: [],
  },
  'removed-step-stays': {
    what: 'a contact at a step that the version does not have waits there',
    file: 'src/publishing/move-to.ts',
    replace: "if (!kept) return removedSteps === 'END' ? { kind: 'ends', status: 'CANCELLED' } : skipRemoved()",
    by: "if (!kept) return removedSteps === 'END' ? { kind: 'ends', status: 'CANCELLED' } : { kind: 'stays', state }",
    worlds: ['move'],
    stories: [],
  },
}

export const MUTANTS: Record<string, Mutant> = {
  ...MOVES,
  ...TRANSITIONS,
  ...STOPS,
  ...CAMPAIGNS,
  ...OTHERS,
  ...EMAILS,
  ...RULES,
  ...WEBHOOKS,
}
