import { defineEntity, p } from '@mikro-orm/core'
import type { TemplateVariables } from '../rendering/index.ts'
import type { EnrollmentStatus } from '../automation-engine/index.ts'
import type { Trigger } from '../triggers/index.ts'
import type { EndCause } from './end-cause.ts'
import type { MovedTo } from './moved-to.ts'

const schema = defineEntity({
  name: 'Enrollment',
  tableName: 'enrollments',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    automationId: p.uuid(),
    contactId: p.uuid(),
    version: p.integer(),
    /** A hash of the value by which a contact can be in the automation several times; empty for none. */
    concurrencyKey: p.text(),
    keyPath: p.text().nullable(),
    dedupKey: p.text().nullable(),
    /**
     * The automation's trigger when the enrollment started. `null` for old enrollments, which use the automation's current
     * trigger.
     */
    trigger: p.text().$type<Trigger>().nullable(),
    triggerKey: p.text().nullable(),
    status: p.text().$type<EnrollmentStatus>(),
    paused: p.boolean(),
    pauseCount: p.integer(),
    /** How many automations caused each other and this enrollment. */
    depth: p.integer(),
    nextStepId: p.uuid().nullable(),
    wakesAt: p.datetime().nullable(),
    movedTo: p.json<MovedTo>().nullable(),
    enrolledAt: p.datetime(),
    recordedAt: p.datetime(),
    endedAt: p.datetime().nullable(),
    endedBy: p.json<EndCause>().nullable(),
    event: p.json<TemplateVariables['event']>().nullable(),
  },
})

/** A contact in an automation, from the first step to the end. Written only by the statements in this folder. */
export class Enrollment extends schema.class {}
schema.setClass(Enrollment)

const automationCountsTable = defineEntity({
  name: 'AutomationCounts',
  tableName: 'automation_counts',
  properties: {
    automationId: p.uuid().primary(),
    enrolled: p.integer().onCreate(() => 0),
    completed: p.integer().onCreate(() => 0),
  },
})

/** Number of enrollments that an automation has had, and how many of them completed. */
export class AutomationCounts extends automationCountsTable.class {}
automationCountsTable.setClass(AutomationCounts)
