import type { Replacement } from './mutants.ts'

/** A deliberately broken build that `npm test` has to notice: loops over pages, workspaces, times, decisions about contacts, and the scope, role and audit entry of operations. */
export interface TestedMutant extends Replacement {
  /** The test files, one of which fails. */
  tests: readonly string[]
}

const PAGES: Record<string, TestedMutant> = {
  'list-emptied-by-one-page': {
    what: 'deleting a list removes only the first page of its contacts',
    file: 'src/contacts/delete-list.ts',
    replace: 'while ((await leave()) === pageSizes.deletedList);',
    by: 'while ((await leave()) > pageSizes.deletedList);',
    tests: ['test/lists/lists.test.ts'],
  },
  'condition-ends-one-page': {
    what: 'a condition ends only the first page of enrollments',
    file: 'src/enrollments/leave-sweep.ts',
    replace: 'while ((await leavePage(em.fork(), version)) === pageSizes.leaving);',
    by: 'while ((await leavePage(em.fork(), version)) > pageSizes.leaving);',
    tests: ['test/enrollments/leave-sweep.test.ts'],
  },
  'segment-starts-one-page': {
    what: 'a sweep starts only the first page of the contacts who entered a segment',
    file: 'src/automations/trigger-sweep.ts',
    replace: 'size = found.length',
    by: 'size = 0',
    tests: ['test/automations/swept-triggers.test.ts'],
  },
  'known-members-of-one-page': {
    what: 'only the first page of the members of a segment is known when its automation begins to listen',
    file: 'src/automations/trigger-sweep.ts',
    replace: 'afterId = page.at(-1)\n',
    by: 'afterId = page.at(-1)\n    size = 0\n',
    tests: ['test/automations/swept-triggers.test.ts'],
  },
  'dates-of-one-page': {
    what: 'a sweep starts only the first page of the contacts whose date is reached',
    file: 'src/automations/trigger-sweep.ts',
    replace: 'if (page.length < pageSizes.sweep) break',
    by: 'if (page.length <= pageSizes.sweep) break',
    tests: ['test/automations/swept-triggers.test.ts'],
  },
  'reconciliation-of-one-page': {
    what: 'a reconciliation compares only the first page of active enrollments',
    file: 'src/relay/reconcile.ts',
    replace: 'if (page.length < pageSizes.reconciliation) break',
    by: 'if (page.length <= pageSizes.reconciliation) break',
    tests: ['test/relay/restored.instance.test.ts'],
  },
  'export-of-one-page': {
    what: 'an export of a workspace contains only the first page of each kind',
    file: 'src/contacts/export-workspace.ts',
    replace: 'if (page.length < limit) break',
    by: 'if (page.length <= limit) break',
    tests: ['test/contacts/exports.test.ts'],
  },
  'export-of-one-page-of-items': {
    what: 'an export of a contact contains only two pages of its items',
    file: 'src/contacts/export-contact.ts',
    replace: 'if (page.length < pageSizes.exportedItems) return',
    by: 'if (page.length <= pageSizes.exportedItems) return',
    tests: ['test/contacts/exports.test.ts'],
  },
}

const WORKSPACES: Record<string, TestedMutant> = {
  'recipients-of-any-workspace': {
    what: 'a preview renders a contact of another workspace',
    file: 'src/contacts/recipients-queries.ts',
    replace:
      'from contacts contact where contact.workspace_id = $1::uuid and contact.id = any($2::uuid[])`\n\n/** The names',
    by: 'from contacts contact where $1::uuid is not null and contact.id = any($2::uuid[])`\n\n/** The names',
    tests: ['test/http/foreign-ids.test.ts'],
  },
  'open-messages-of-all-workspaces': {
    what: 'the stats of a workspace count the open messages of all',
    file: 'src/stats/queries.ts',
    replace: "where workspace_id = $1::uuid and status in ('SENDING', 'DEFERRED', 'UNCONFIRMED')",
    by: "where $1::uuid is not null and status in ('SENDING', 'DEFERRED', 'UNCONFIRMED')",
    tests: ['test/stats/stats.test.ts'],
  },
  'paused-automation-of-another-workspace': {
    what: 'an event leaves a decision about the paused automation of another workspace',
    file: 'src/triggers/queries.ts',
    replace: "const LISTENS = `workspace_id = $2::uuid and trigger = 'EVENT'",
    by: "const LISTENS = `$2::uuid is not null and trigger = 'EVENT'",
    tests: ['test/triggers/not-started.test.ts'],
  },
}

const POSITIONS: Record<string, TestedMutant> = {
  'position-stays-at-the-email': {
    what: 'an enrollment that waits after its email is shown at the email',
    file: 'src/enrollments/send-step.ts',
    replace: "if (result.kind === 'final' && !result.stop)",
    by: 'if (result.kind !== result.kind)',
    tests: ['test/stats/stats.test.ts'],
  },
  'position-moves-back': {
    what: 'a late attempt at an earlier step moves an enrollment back',
    file: 'src/enrollments/advance-queries.ts',
    replace: 'and next_step_id = any($2::uuid[])',
    by: 'and $2::uuid[] is not null',
    tests: ['test/stats/stats.test.ts'],
  },
  'runs-of-the-erased-stay-counted': {
    what: 'the steps of an erased contact are still counted',
    file: 'src/steps/queries.ts',
    replace: 'await countRuns(em, await sql<RunChange>(em, text, [contactId]), -1)',
    by: 'await sql<RunChange>(em, text, [contactId])',
    tests: ['test/stats/stats.test.ts'],
  },
}

const DECISIONS: Record<string, TestedMutant> = {
  'started-again-by-an-event-inside': {
    what: 'an event that finds its contact inside is delivered, and starts another enrollment after the end',
    file: 'src/enrollments/decide-entries.ts',
    replace: 'else starts.push(',
    by: 'starts.push(',
    tests: ['test/events/decided-once.test.ts'],
  },
  'pending-start-is-not-inside': {
    what: 'a contact whose start is pending counts as not enrolled',
    file: 'src/enrollments/entry-queries.ts',
    replace: "created_at > now() - interval '1 hour'",
    by: "created_at > now() + interval '1 hour'",
    tests: ['test/events/decided-once.test.ts'],
  },
  'events-at-once-are-not-ordered': {
    what: 'two events of a contact at the same time both start an automation',
    file: 'src/triggers/queries.ts',
    replace: "bool_or(is_awaited or automations <> '[]')",
    by: 'bool_or(is_awaited)',
    tests: ['test/events/decided-once.test.ts'],
  },
  'end-without-a-cause': {
    what: 'a workflow that ends while nothing explains it ends its enrollment',
    file: 'src/enrollments/end-cause.ts',
    replace: "by === 'CANCELLATION' ? { cause: 'WORKFLOW_ENDED' } : undefined",
    by: "{ cause: 'WORKFLOW_ENDED' }",
    tests: ['test/enrollments/end-causes.test.ts'],
  },
  'wait-ends-without-a-result': {
    what: 'a wait for an event whose other attempt has finished it ends the enrollment',
    file: 'src/steps/wait-for-event.ts',
    replace: 'if (!recorded) throw new ContextChanged()',
    by: "if (!recorded) return { next: 'gone' }",
    tests: ['test/steps/overlapping-attempts.test.ts'],
  },
  'lost-event-of-another-key': {
    what: 'the event of a keyed automation counts as arrived if the contact is in it with any key',
    file: 'src/triggers/queries.ts',
    replace: 'contact_id = event.contact_id and concurrency_key = target.concurrency_key\n      and status',
    by: 'contact_id = event.contact_id\n      and status',
    tests: ['test/triggers/lost-keyed-events.test.ts'],
  },
  'muted-without-a-decision': {
    what: 'a contact created with triggers: false has no decision',
    file: 'src/contacts/upsert-rules.ts',
    replace: 'muted: triggers || isQuiet || ofFile ? [] : occurrences',
    by: 'muted: triggers || isQuiet || !ofFile ? [] : occurrences',
    tests: ['test/triggers/not-started.test.ts'],
  },
  'shown-as-paused-after-the-pause': {
    what: 'an enrollment is shown as paused until its next email',
    file: 'src/enrollments/list-queries.ts',
    replace: '(item.paused and exists (',
    by: '(item.paused and not exists (select where false) or exists (',
    tests: ['test/enrollments/paused.test.ts'],
  },
  'rejected-recipient-without-a-bounce': {
    what: 'an address that the mail server rejects is tried again by the next email',
    file: 'src/messages/store.ts',
    replace: "result.status === 'FAILED' && result.isRejected",
    by: "result.status === 'FAILED' && result.isRejected && result.error === ''",
    tests: ['test/bounces/rejections.test.ts'],
  },
  'failed-sign-in-without-an-entry': {
    what: 'a wrong password leaves no audit entry',
    file: 'src/accounts/sign-in.ts',
    replace: 'if (account) await',
    by: 'if (!account) return Promise.reject(new ApiError(WRONG_CREDENTIALS))\n    if (!account) await',
    tests: ['test/accounts/signing-in.test.ts'],
  },
  'key-without-a-recent-sign-in': {
    what: 'a session that is days old creates an API key',
    file: 'src/workspaces/routes.ts',
    replace: "if (caller.by.kind === 'person') await requireRecentSignIn",
    by: "if (caller.by.kind === 'key' && caller.by.kind !== 'key') await requireRecentSignIn",
    tests: ['test/accounts/sessions.test.ts'],
  },
}

const OPERATIONS: Record<string, TestedMutant> = {
  'change-without-an-audit-entry': {
    what: 'the creation of a segment is not in the audit log',
    file: 'src/segments/routes.ts',
    replace: "    id: 'createSegment',\n",
    by: "    id: 'createSegment',\n    audit: 'never',\n",
    tests: ['test/segments/segments.test.ts'],
  },
  'reading-scope-for-a-deletion': {
    what: 'a key that may read segments deletes them',
    file: 'src/segments/routes.ts',
    replace: "    description: 'Deletes the segment permanently. Its contacts stay.',\n    scope: 'segments:write',",
    by: "    description: 'Deletes the segment permanently. Its contacts stay.',\n    scope: 'segments:read',",
    tests: ['test/http/openapi.test.ts'],
  },
  'editor-manages-keys': {
    what: 'an editor creates API keys',
    file: 'src/workspaces/routes.ts',
    replace: "    role: 'owner',\n    isSecret: true,\n    body: apiKeyInput,",
    by: "    role: 'editor',\n    isSecret: true,\n    body: apiKeyInput,",
    tests: ['test/accounts/access-matrix.test.ts'],
  },
  'viewer-approves': {
    what: 'a viewer approves a proposal',
    file: 'src/proposals/approve-route.ts',
    replace: "role: 'editor'",
    by: "role: 'viewer'",
    tests: ['test/proposals/proposals.test.ts'],
  },
  'approval-of-another-revision': {
    what: 'an approval publishes over a change that was made after the proposal',
    file: 'src/proposals/approve-route.ts',
    replace: 'const ifMatch = [String(proposal.revision)]',
    by: "const ifMatch = ['*']",
    tests: ['test/proposals/proposals.test.ts'],
  },
  'proposal-decided-twice': {
    what: 'a proposal that was rejected is approved',
    file: 'src/proposals/proposals.ts',
    replace: "  if (status !== 'PENDING') throw alreadyDecided(proposal)\n",
    by: "  if (status === 'APPROVED') throw alreadyDecided(proposal)\n",
    tests: ['test/proposals/proposals.test.ts'],
  },
  'active-automation-of-an-agent': {
    what: 'a key with the scope drafts:write creates an active automation',
    file: 'src/automations/routes.ts',
    replace: "if (status !== 'DRAFT' && !caller",
    by: "if (status === 'ARCHIVED' && !caller",
    tests: ['test/mcp/draft-tools.test.ts'],
  },
  'personal-data-for-every-agent': {
    what: 'a tool returns data of contacts to a key without contacts:read',
    file: 'src/mcp/call-tool.ts',
    replace: '(scopes.includes(PERSONAL_SCOPE) ? (tool.personal ?? []) : [])',
    by: '(scopes.length > 0 || PERSONAL_SCOPE ? (tool.personal ?? []) : [])',
    tests: ['test/mcp/read-tools.test.ts'],
  },
}

const TIMES: Record<string, TestedMutant> = {
  'sent-again-after-a-restore': {
    what: 'a step that runs again after a restore makes an email due that the original has sent',
    file: 'src/enrollments/step-queries.ts',
    replace: 'and finished_at is not null and (started_at <= backed_up_at or arrived_at is not null)`',
    by: 'and finished_at is not null`',
    tests: ['test/relay/restored.instance.test.ts'],
  },
  'date-before-its-field': {
    what: 'a date that was reached before its field was written starts an automation',
    file: 'src/automations/trigger-sweep.ts',
    replace: 'Math.max(interval.from.getTime(), contact.writtenAt.getTime())',
    by: 'interval.from.getTime()',
    tests: ['test/automations/swept-triggers.test.ts'],
  },
  'date-written-by-the-same-value': {
    what: 'writing the same date again keeps it from starting an automation',
    file: 'src/contacts/write-queries.ts',
    replace: ' and value is distinct from contact.metadata ->> key',
    by: '',
    tests: ['test/automations/swept-triggers.test.ts'],
  },
  'attachment-of-a-deferred-email': {
    what: 'the attachment of an email that waits for the mail server is deleted',
    file: 'src/emails/queries.ts',
    replace: "message.status in ('QUEUED', 'DEFERRED', 'SENDING', 'UNCONFIRMED')\n  and (email.workspace_id",
    by: "message.status in ('QUEUED', 'SENDING', 'UNCONFIRMED')\n  and (email.workspace_id",
    tests: ['test/emails/emails.test.ts'],
  },
  'commit-without-an-answer': {
    what: 'a COMMIT without a response is reported as if nothing was done',
    file: 'src/platform/db/session.ts',
    replace: 'throw isCommit(args[0]) ? new CommitUnconfirmed(',
    by: "throw args[0] === 'never' ? new CommitUnconfirmed(",
    tests: ['test/platform/outcomes.instance.test.ts'],
  },
}

/** Events of webhooks, and messages of campaigns that are claimed ahead. */
const RECORDS: Record<string, TestedMutant> = {
  'end-by-a-rule-is-no-event': {
    what: 'the end of an enrollment by a rule is not recorded as an event',
    file: 'src/enrollments/leave-queries.ts',
    replace: '  await recordChanges(em, ended)\n',
    by: '',
    tests: ['test/webhooks/recording.test.ts'],
  },
  'leaving-is-no-event': {
    what: 'leaving a list is not recorded as an event',
    file: 'src/lists/membership-queries.ts',
    replace: "  await recordWebhookFacts(em, factsOf('list.left', workspaceId, members))\n",
    by: '',
    tests: ['test/webhooks/recording.test.ts'],
  },
  'unwanted-events': {
    what: 'events are recorded that no endpoint of the workspace wants',
    file: 'src/webhooks/record-queries.ts',
    replace: 'return types !== undefined && (types.has(type) || types.has(ALL_EVENTS))',
    by: "return types !== undefined || type === 'contact.created'",
    tests: ['test/webhooks/recording.test.ts'],
  },
  'changes-of-a-new-contact': {
    what: 'a contact is updated in the transaction that creates it, as a second event',
    file: 'src/webhooks/record.ts',
    replace: 'return isNew ? undefined : event',
    by: 'return isNew && false ? undefined : event',
    tests: ['test/webhooks/recording.test.ts'],
  },
  'separate-changes': {
    what: 'changes of one transaction to a contact are several events',
    file: 'src/webhooks/record-queries.ts',
    replace: 'event.xid = pg_current_xact_id()',
    by: "event.xid = '0'",
    tests: ['test/webhooks/recording.test.ts'],
  },
  'waiting-is-unconfirmed': {
    what: 'a message that was claimed ahead is unconfirmed although its transmission had not begun',
    file: 'src/messages/ahead-queries.ts',
    replace: 'insert into claims_ahead (claim, message_id) select * from unnest($1::uuid[], $2::uuid[])',
    by: 'select $1::uuid[], $2::uuid[]',
    tests: ['test/campaigns/claims-ahead.test.ts'],
  },
  'lost-with-the-table': {
    what: 'a crash of Postgres keeps a living process from releasing the messages that it claimed ahead',
    file: 'src/messages/lease-queries.ts',
    replace: 'as given (claim, message_id) left join deleted using (claim)',
    by: 'as given (claim, message_id) join deleted using (claim)',
    tests: ['test/campaigns/claims-ahead.test.ts'],
  },
}

/** The queue of transactional emails, and the retention of what was sent. */
const QUEUE: Record<string, TestedMutant> = {
  'taken-by-each-worker': {
    what: 'each worker takes the same transactional emails from the queue',
    file: 'src/messages/queue-queries.ts',
    replace: 'const IS_TAKEN = `(message.lease_until between',
    by: 'const IS_TAKEN = `(false and message.lease_until between',
    tests: ['test/emails/email-queue.test.ts'],
  },
  'held-is-not-counted': {
    what: 'a workspace with many transactional emails takes all places of a worker',
    file: 'src/messages/queue-queries.ts',
    replace: 'order by coalesce(held.count, 0) + message.turn, message.due_at limit $1',
    by: 'order by message.due_at limit $1',
    tests: ['test/emails/email-queue.test.ts'],
  },
  'due-after-the-loss': {
    what: 'an email that was accepted before a loss of data is sent again after it, because it was deferred in the meantime',
    file: 'src/emails/send-email.ts',
    replace: 'mayBeLost(settings, message.email!.wantedAt)',
    by: 'mayBeLost(settings, stored.dueAt!)',
    tests: ['test/emails/stops.test.ts'],
  },
  'turn-for-two': {
    what: 'two workers take the same turn within SEND_RATE',
    file: 'src/senders/send-rate-queries.ts',
    replace: 'next_at = granted.at + make_interval(secs => granted.count / $1::float8)',
    by: 'next_at = granted.at',
    tests: ['test/senders/send-rate.test.ts'],
  },
  'history-of-one-page': {
    what: 'only one page of old messages is deleted in a round',
    file: 'src/relay/delete-old-history.ts',
    replace: '>= limit) mayBeMore = true',
    by: '> limit) mayBeMore = true',
    tests: ['test/relay/old-history.test.ts'],
  },
  'one-page-of-old-proposals': {
    what: 'only the first page of old proposals is deleted',
    file: 'src/relay/delete-old-history.ts',
    replace: '=== limit) mayBeMore = true',
    by: '> limit) mayBeMore = true',
    tests: ['test/proposals/proposals.test.ts'],
  },
  'one-page-of-old-requests': {
    what: 'only the first page of old requests is deleted',
    file: 'src/relay/delete-old-history.ts',
    replace: 'let mayBeMore = (await deleteOldRequests(em.fork(), limit)) >= limit',
    by: 'let mayBeMore = (await deleteOldRequests(em.fork(), limit)) > limit',
    tests: ['test/request-log/record-requests.test.ts'],
  },
  'requests-of-other-workspaces': {
    what: 'an owner reads the requests of other workspaces',
    file: 'src/request-log/queries.ts',
    replace: 'where workspace_id = $1::uuid and ${isAfterCursor',
    by: 'where $1::uuid is not null and ${isAfterCursor',
    tests: ['test/request-log/request-log.test.ts'],
  },
  'paths-in-the-request-log': {
    what: 'the request log has real paths, which can be personal data',
    file: 'src/http/middleware/record-request.ts',
    replace: "path: route?.replace(basePath, '')",
    by: "path: (route && ctx.path.replace(basePath, ''))?",
    tests: ['test/request-log/request-log.test.ts'],
  },
  'history-of-active-enrollments': {
    what: 'messages of active enrollments are deleted, and may be sent again',
    file: 'src/messages/old-messages-queries.ts',
    replace: "where id = message.enrollment_id and status = 'ACTIVE'",
    by: "where id = message.enrollment_id and status = 'NONE'",
    tests: ['test/relay/old-history.test.ts'],
  },
  'history-of-open-campaigns': {
    what: 'messages of campaigns that have not ended are deleted, and may be sent again',
    file: 'src/messages/old-messages-queries.ts',
    replace: "status in ('SCHEDULED', 'SENDING', 'PAUSED')",
    by: "status in ('SCHEDULED', 'SENDING')",
    tests: ['test/relay/old-history.test.ts'],
  },
  'history-is-forgotten': {
    what: 'a recount loses what deleted messages counted',
    file: 'src/stats/recount.ts',
    replace: '  await addArchivedCounts(em, changes)\n',
    by: '',
    tests: ['test/relay/old-history.test.ts'],
  },
}

export const TESTED_MUTANTS: Record<string, TestedMutant> = {
  ...PAGES,
  ...QUEUE,
  ...WORKSPACES,
  ...POSITIONS,
  ...DECISIONS,
  ...OPERATIONS,
  ...TIMES,
  ...RECORDS,
}
