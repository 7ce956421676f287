import { defineEntity, p } from '@mikro-orm/core'
import type { SuppressionReason } from '../contacts/index.ts'

const suppressionTable = defineEntity({
  name: 'Suppression',
  tableName: 'suppressions',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    addressHash: p.blob(),
    reason: p.text().$type<SuppressionReason>(),
    email: p.text().nullable(),
    note: p.text().nullable(),
    createdAt: p.datetime(),
  },
})

/** That an address is not to be mailed, and why. It outlives an erasure of its contact, as a hash alone. */
export class Suppression extends suppressionTable.class {}
suppressionTable.setClass(Suppression)

const optOutTable = defineEntity({
  name: 'ListOptOut',
  tableName: 'list_opt_outs',
  properties: {
    listId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    createdAt: p.datetime(),
  },
})

/** That a contact has left a list by herself. */
export class ListOptOut extends optOutTable.class {}
optOutTable.setClass(ListOptOut)

const erasedTable = defineEntity({
  name: 'ErasedContact',
  tableName: 'erased_contacts',
  properties: {
    contactId: p.uuid().primary(),
    workspaceId: p.uuid(),
    addressHash: p.blob().primary(),
    /** What was told of it lately, by hashes of how providers call that. */
    heard: p
      .array<string>()
      .columnType('text[]')
      .onCreate(() => []),
  },
})

/** Whose the links are in emails that somebody got before she was erased: by a hash alone, as suppressions have it. */
export class ErasedContact extends erasedTable.class {}
erasedTable.setClass(ErasedContact)
