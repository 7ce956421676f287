import { defineEntity, p } from '@mikro-orm/core'
import type { KeptContext } from './kept-call-queries.ts'
import type { SourceCall } from './schemas.ts'

const keptTable = defineEntity({
  name: 'KeptCall',
  tableName: 'kept_calls',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    userId: p.text(),
    call: p.json<SourceCall>(),
    context: p.json<KeptContext>(),
    requestId: p.text().nullable(),
    receivedAt: p.datetime(),
  },
})

/** A call of a user that is not known yet. */
export class KeptCall extends keptTable.class {}
keptTable.setClass(KeptCall)

const identifiedTable = defineEntity({
  name: 'IdentifiedContact',
  tableName: 'identified_contacts',
  properties: { contactId: p.uuid().primary(), identifiedAt: p.datetime() },
})

/** The time of the newest identify call of a contact. */
export class IdentifiedContact extends identifiedTable.class {}
identifiedTable.setClass(IdentifiedContact)
