import { defineEntity, p } from '@mikro-orm/core'
import type { AutomationStatus, SendFailurePolicy } from '../../domain/automation.ts'
import { newId } from '../../domain/ids.ts'
import type { Trigger, TriggerConfig } from '../../domain/triggers.ts'

const schema = defineEntity({
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
    deletedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

/** A sequence of steps and what starts it. The steps are in its versions. */
export class Automation extends schema.class {}
schema.setClass(Automation)
