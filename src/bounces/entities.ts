import { defineEntity, p } from '@mikro-orm/core'
import type { BounceCategory, BounceKind } from './categories.ts'

const bounceTable = defineEntity({
  name: 'Bounce',
  tableName: 'bounces',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    /** `null` if the message went to an address without a contact. */
    contactId: p.uuid().nullable(),
    messageId: p.uuid(),
    kind: p.text().$type<BounceKind>(),
    category: p.text().$type<BounceCategory>().nullable(),
    status: p.text().nullable(),
    diagnostic: p.text().nullable(),
    providerVerdict: p.text().nullable(),
    source: p.text(),
    sourceId: p.text().nullable(),
    counted: p.boolean(),
    createdAt: p.datetime(),
  },
})

/** A bounce of a message, at most one of each kind. */
export class Bounce extends bounceTable.class {}
bounceTable.setClass(Bounce)

const sourceTable = defineEntity({
  name: 'FeedbackSource',
  tableName: 'feedback_sources',
  properties: {
    workspaceId: p.uuid().primary(),
    provider: p.text().primary(),
    credential: p.blob(),
    updatedAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
  },
})

/** A mail provider that reports bounces of a workspace, and the credential that authenticates its webhook calls. */
export class FeedbackSource extends sourceTable.class {}
sourceTable.setClass(FeedbackSource)

const callTable = defineEntity({
  name: 'FeedbackCall',
  tableName: 'feedback_calls',
  primaryKeys: ['workspaceId', 'provider', 'id'],
  properties: {
    workspaceId: p.uuid().primary(),
    provider: p.text().primary(),
    id: p.text().primary(),
    at: p.datetime(),
  },
})

/** A webhook call that was processed. */
export class FeedbackCall extends callTable.class {}
callTable.setClass(FeedbackCall)
