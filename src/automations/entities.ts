import { defineEntity, p } from '@mikro-orm/core'
import type { AutomationStatus, SendFailurePolicy, StoredStep } from '../automation-engine/index.ts'
import { newId } from '../platform/ids.ts'
import type { Trigger, TriggerConfig } from '../triggers/index.ts'

const automationTable = defineEntity({
  name: 'Automation',
  tableName: 'automations',
  // A deleted automation exists only for its teardown; whoever wants to see it has to say so.
  filters: { existing: { name: 'existing', cond: { deletedAt: null }, default: true } },
  properties: {
    id: p.uuid().primary().onCreate(newId),
    workspaceId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    status: p.text().$type<AutomationStatus>(),
    trigger: p.text().$type<Trigger>(),
    triggerConfig: p.json<TriggerConfig>(),
    triggerKey: p.text().nullable(),
    onSendFailure: p.text().$type<SendFailurePolicy>(),
    version: p.integer().onCreate(() => 1),
    activeVersion: p.integer().nullable(),
    /** Grows with each change: who has read an earlier one is told. */
    revision: p.bigint('number').onCreate(() => 1),
    deletedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

/** A sequence of steps and what starts it. The steps are in its versions. */
export class Automation extends automationTable.class {}
automationTable.setClass(Automation)

const automationVersionTable = defineEntity({
  name: 'AutomationVersion',
  tableName: 'automation_versions',
  properties: {
    automationId: p.uuid().primary(),
    version: p.integer().primary(),
    steps: p.json<StoredStep[]>(),
    createdAt: p.datetime().onCreate(() => new Date()),
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
    /** By locale the hash of what it says in that language. */
    translations: p.json<Record<string, string>>().onCreate(() => ({})),
  },
})

/** What an email step says. Immutable, known by the hash of what it holds: versions that share an email share its row. */
export class EmailContent extends emailContentTable.class {}
emailContentTable.setClass(EmailContent)

const automationDraftTable = defineEntity({
  name: 'AutomationDraft',
  tableName: 'automation_drafts',
  properties: {
    automationId: p.uuid().primary(),
    content: p.json<Record<string, unknown>>(),
    /** The automation's revision that it is of: it goes along where the status alone is changed. */
    basedOn: p.bigint('number'),
    /** What its editor said that it is of. */
    begunWith: p.bigint('number'),
    /** Of a sequence that all drafts share: none comes twice. */
    revision: p.bigint('number'),
    savedBy: p.text(),
    savedAt: p.datetime().onCreate(() => new Date()),
  },
})

/** What somebody has edited, and has not said to be so: of no effect, and not checked. */
export class AutomationDraft extends automationDraftTable.class {}
automationDraftTable.setClass(AutomationDraft)
