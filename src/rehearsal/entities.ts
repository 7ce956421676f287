import { defineEntity, p } from '@mikro-orm/core'
import type { RehearsalPlan } from './plan.ts'
import type { Summary } from './summary.ts'
import type { TimelineEntry } from './timeline.ts'

export const REHEARSAL_STATUSES = ['RUNNING', 'DONE', 'CANCELLED', 'FAILED'] as const
type RehearsalStatus = (typeof REHEARSAL_STATUSES)[number]

const rehearsalTable = defineEntity({
  name: 'Rehearsal',
  tableName: 'rehearsals',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    automationId: p.uuid(),
    status: p.text().$type<RehearsalStatus>(),
    plan: p.json<RehearsalPlan>(),
    summary: p.json<Summary>(),
    total: p.integer(),
    done: p.integer(),
    afterId: p.uuid(),
    problem: p.text().nullable(),
    requestedBy: p.text(),
    createdAt: p.datetime().onCreate(() => new Date()),
    finishedAt: p.datetime().nullable(),
  },
})

/** A rehearsal of an automation for many contacts. */
export class Rehearsal extends rehearsalTable.class {}
rehearsalTable.setClass(Rehearsal)

const contactTable = defineEntity({
  name: 'RehearsedContactRow',
  tableName: 'rehearsed_contacts',
  properties: {
    rehearsalId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    emails: p.integer(),
    difference: p.integer().nullable(),
    outcome: p.text(),
    timeline: p.json<TimelineEntry[]>(),
  },
})

/** The result of a rehearsal for a contact. */
export class RehearsedContactRow extends contactTable.class {}
contactTable.setClass(RehearsedContactRow)
