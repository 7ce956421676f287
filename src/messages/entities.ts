import { defineEntity, p } from '@mikro-orm/core'
import type { MessageStatus } from './message.ts'

const schema = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    contactId: p.uuid(),
    /** Those of a sequence; none of a campaign's. */
    automationId: p.uuid().nullable(),
    enrollmentId: p.uuid().nullable(),
    stepId: p.uuid().nullable(),
    occurrence: p.integer().nullable(),
    campaignId: p.uuid().nullable(),
    /** Which of the ways in which its campaign says it, where that has several. */
    variant: p.smallint().nullable(),
    /** Of a campaign's: the lists that included the contact. An opt-out of one of them suppresses it. */
    listIds: p.array().columnType('uuid[]').nullable(),
    status: p.text().$type<MessageStatus>(),
    claim: p.uuid(),
    attempts: p.integer(),
    leaseUntil: p.datetime().nullable(),
    messageId: p.text().nullable(),
    recipient: p.text().nullable(),
    subject: p.text().nullable(),
    html: p.text().nullable(),
    text: p.text().nullable(),
    response: p.text().nullable(),
    error: p.text().nullable(),
    createdAt: p.datetime(),
    claimedAt: p.datetime(),
    sentAt: p.datetime().nullable(),
    finalAt: p.datetime().nullable(),
    /** When it is to be tried, of a campaign's. */
    dueAt: p.datetime().nullable(),
    retryAt: p.datetime().nullable(),
    abandonedAt: p.datetime().nullable(),
    /** When a person has first opened it, or followed a link of it, as far as that can be told. */
    openedAt: p.datetime().nullable(),
    clickedAt: p.datetime().nullable(),
  },
})

/** One email to one contact. Written by `store-queries.ts` only. */
export class Message extends schema.class {}
schema.setClass(Message)
