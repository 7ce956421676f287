import { defineEntity, p } from '@mikro-orm/core'
import type { MessageResult, MessageStatus } from './message.ts'

const schema = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    contactId: p.uuid(),
    /** Set for messages of automations, `null` for those of campaigns. */
    automationId: p.uuid().nullable(),
    enrollmentId: p.uuid().nullable(),
    stepId: p.uuid().nullable(),
    campaignId: p.uuid().nullable(),
    /** A/B variant of a campaign's message. */
    variant: p.smallint().nullable(),
    /** Campaign messages only: the lists that included the contact. An opt-out of one of them suppresses the message. */
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
    /** When a campaign's message is due. */
    dueAt: p.datetime().nullable(),
    retryAt: p.datetime().nullable(),
    abandonedAt: p.datetime().nullable(),
    /** When a provider reported that the recipient's mail server accepted it. */
    deliveredAt: p.datetime().nullable(),
    /** When a person first opened it or clicked a link. Scanners are excluded as far as possible. */
    openedAt: p.datetime().nullable(),
    clickedAt: p.datetime().nullable(),
    /** When its contact unsubscribed by one of its links, or at their provider because of it. */
    unsubscribedAt: p.datetime().nullable(),
    /** Its results after it was sent or rejected. */
    results: p.array().$type<MessageResult[]>(),
  },
})

/** One email to one contact. Written by this module only. */
export class Message extends schema.class {}
schema.setClass(Message)

const aheadTable = defineEntity({
  name: 'ClaimAhead',
  tableName: 'claims_ahead',
  properties: {
    claim: p.uuid().primary(),
    messageId: p.uuid(),
  },
})

/** A claim that was made ahead, and whose transmission has not begun. */
export class ClaimAhead extends aheadTable.class {}
aheadTable.setClass(ClaimAhead)
