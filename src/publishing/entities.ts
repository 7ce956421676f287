import { defineEntity, p } from '@mikro-orm/core'

/** Choices for the contacts inside when a version is published: they stay in their version, move to the new one, or end. */
export const INSIDE = ['KEEP', 'MOVE', 'FINISH'] as const
export type Inside = (typeof INSIDE)[number]

/** Choices for a contact whose step was removed: continue at the step that follows, or end. */
export const REMOVED_STEPS = ['CONTINUE', 'END'] as const
export type RemovedSteps = (typeof REMOVED_STEPS)[number]

const schema = defineEntity({
  name: 'AutomationMove',
  tableName: 'automation_moves',
  properties: {
    automationId: p.uuid().primary(),
    workspaceId: p.uuid(),
    version: p.integer(),
    inside: p.text().$type<Exclude<Inside, 'KEEP'>>(),
    removedSteps: p.text().$type<RemovedSteps>(),
    /** The number of enrollments in older versions when it started. */
    total: p.integer(),
    startedBy: p.text(),
    startedAt: p.datetime(),
    stoppedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
  },
})

/** The last publication of an automation that moves or ends the contacts inside. */
export class AutomationMove extends schema.class {}
schema.setClass(AutomationMove)
