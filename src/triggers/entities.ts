import { defineEntity, p } from '@mikro-orm/core'
import type { OtherEffects } from './effects.ts'
import type { EntryRule } from './refused-entry-queries.ts'
import type { EventSource, Trigger } from './trigger.ts'

const eventTable = defineEntity({
  name: 'TriggerEvent',
  tableName: 'trigger_events',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    contactId: p.uuid(),
    type: p.text().$type<Trigger>(),
    name: p.text(),
    nameKey: p.text().nullable(),
    data: p.json<unknown>().nullable(),
    depth: p.integer(),
    automationIds: p.array().columnType('uuid[]'),
    concurrencyKeys: p.array().default([]),
    effects: p.json<Partial<OtherEffects>>(),
    source: p.text().$type<EventSource>().nullable(),
    requestId: p.text().nullable(),
    createdAt: p.datetime(),
  },
})

/** An event of a contact, and the automations that listened for it at that moment. */
export class TriggerEvent extends eventTable.class {}
eventTable.setClass(TriggerEvent)

const heardTable = defineEntity({
  name: 'ProcessedEvent',
  tableName: 'processed_events',
  properties: {
    automationId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    eventId: p.uuid().primary(),
  },
})

/** An event that an enrollment has received. If it is delivered again, it starts nothing. */
export class ProcessedEvent extends heardTable.class {}
heardTable.setClass(ProcessedEvent)

const refusedTable = defineEntity({
  name: 'RefusedEntry',
  tableName: 'refused_entries',
  properties: {
    id: p.bigint().primary(),
    workspaceId: p.uuid(),
    automationId: p.uuid(),
    contactId: p.uuid(),
    eventId: p.uuid().nullable(),
    rule: p.text().$type<EntryRule>(),
    createdAt: p.datetime(),
  },
})

/** A contact who did not enter an automation, and the rule that kept them out. */
export class RefusedEntry extends refusedTable.class {}
refusedTable.setClass(RefusedEntry)
