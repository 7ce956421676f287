import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'OutboxDelivery',
  tableName: 'outbox',
  properties: {
    id: p.bigint('string').primary().generated('identity'),
    kind: p.text(),
    key: p.text(),
    lane: p.text(),
    workspaceId: p.uuid().nullable(),
    automationId: p.uuid().nullable(),
    contactId: p.uuid().nullable(),
    concurrencyKey: p.text(),
    eventId: p.uuid().nullable(),
    enrollmentId: p.uuid().nullable(),
    messageId: p.uuid().nullable(),
    campaignId: p.uuid().nullable(),
    accountId: p.uuid().nullable(),
    webhookId: p.uuid().nullable(),
    invitationId: p.uuid().nullable(),
    importId: p.uuid().nullable(),
    rehearsalId: p.uuid().nullable(),
    afterId: p.uuid().nullable(),
    generation: p.integer(),
    attempts: p.integer(),
    dueAt: p.datetime(),
    createdAt: p.datetime(),
  },
})

/** A delivery that is pending for Temporal, or an email to an owner. Written in the transaction that makes it due. */
export class OutboxDelivery extends schema.class {}
schema.setClass(OutboxDelivery)
