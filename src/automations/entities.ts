import { defineEntity, p } from '@mikro-orm/core'
import type { AutomationStatus, SendFailurePolicy, StoredStep } from '../automation-engine/index.ts'
import { newId } from '../platform/ids.ts'
import type { ToleratedRates } from '../reputation/index.ts'
import type { Trigger, TriggerConfig } from '../triggers/index.ts'
import type { DesignSource } from './steps/design-source.ts'
import type { EntryRules, EventOrCondition, ExitRule } from './rules.ts'

const automationTable = defineEntity({
  name: 'Automation',
  tableName: 'automations',
  // A deleted automation exists only until its enrollments are removed. A query must ask for it explicitly.
  filters: { existing: { name: 'existing', cond: { deletedAt: null }, default: true } },
  properties: {
    id: p.uuid().primary().onCreate(newId),
    workspaceId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    status: p.text().$type<AutomationStatus>(),
    /** Why Dripline paused the automation itself; `null` if a member paused it. */
    pauseReason: p.text().nullable(),
    /** The rates at which Dripline paused the automation because of its reputation. */
    toleratedRates: p.json<ToleratedRates>().onCreate(() => ({})),
    trigger: p.text().$type<Trigger>(),
    triggerConfig: p.json<TriggerConfig>(),
    triggerKey: p.text().nullable(),
    /** For DATE: the instant up to which contacts have been started. */
    startedUntil: p.datetime().nullable(),
    onSendFailure: p.text().$type<SendFailurePolicy>(),
    entry: p.json<EntryRules>().onCreate(() => ({})),
    exitOn: p.json<ExitRule[]>().onCreate(() => []),
    goal: p.json<EventOrCondition>().nullable(),
    version: p.integer().onCreate(() => 1),
    activeVersion: p.integer().nullable(),
    /** Grows with each change, so that clients that have read an earlier revision get a conflict. */
    revision: p.bigint('number').onCreate(() => 1),
    deletedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

/** A sequence of steps and the trigger that starts it. Its versions contain the steps. */
export class Automation extends automationTable.class {}
automationTable.setClass(Automation)

const automationVersionTable = defineEntity({
  name: 'AutomationVersion',
  tableName: 'automation_versions',
  properties: {
    automationId: p.uuid().primary(),
    version: p.integer().primary(),
    steps: p.json<StoredStep[]>(),
    exitOn: p.json<ExitRule[]>().onCreate(() => []),
    goal: p.json<EventOrCondition>().nullable(),
    /** The keys of all events that its exit rules, its goal and its steps wait for. */
    eventKeys: p
      .array<string>()
      .columnType('text[]')
      .onCreate(() => []),
    /** The time of the transaction, which its audit entry has, too. */
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

/** An immutable list of steps, ordered by position. An enrollment is pinned to one. */
export class AutomationVersion extends automationVersionTable.class {}
automationVersionTable.setClass(AutomationVersion)

const emailContentTable = defineEntity({
  name: 'EmailContent',
  tableName: 'email_contents',
  properties: {
    automationId: p.uuid().primary(),
    hash: p.text().primary(),
    subject: p.text(),
    html: p.text().nullable(),
    text: p.text().nullable(),
    /** The hashes of the contents in other languages, by locale. */
    translations: p.json<Record<string, string>>().onCreate(() => ({})),
    source: p.json<DesignSource>().nullable(),
  },
})

/** The content of an email step. Immutable and identified by its hash: versions that share an email share the row. */
export class EmailContent extends emailContentTable.class {}
emailContentTable.setClass(EmailContent)

const automationDraftTable = defineEntity({
  name: 'AutomationDraft',
  tableName: 'automation_drafts',
  properties: {
    automationId: p.uuid().primary(),
    content: p.json<Record<string, unknown>>(),
    /** The revision of the automation that it is based on. Moves along if only the status changes. */
    basedOn: p.bigint('number'),
    /** The revision that its editor specified. */
    begunWith: p.bigint('number'),
    /** Unique: all drafts share one sequence. */
    revision: p.bigint('number'),
    savedBy: p.text(),
    savedAt: p.datetime().onCreate(() => new Date()),
  },
})

/** Unpublished changes to an automation. They have no effect, and are not validated. */
export class AutomationDraft extends automationDraftTable.class {}
automationDraftTable.setClass(AutomationDraft)

const segmentMemberTable = defineEntity({
  name: 'SegmentMember',
  tableName: 'segment_members',
  properties: { automationId: p.uuid().primary(), contactId: p.uuid().primary() },
})

/** A contact known to be in the segment whose new contacts start an automation. */
export class SegmentMember extends segmentMemberTable.class {}
segmentMemberTable.setClass(SegmentMember)
