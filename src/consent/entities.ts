import { defineEntity, p } from '@mikro-orm/core'

const erasedTable = defineEntity({
  name: 'ErasedContact',
  tableName: 'erased_contacts',
  properties: {
    contactId: p.uuid().primary(),
    workspaceId: p.uuid(),
    addressHash: p.blob().primary(),
    /** What was told of it lately, by hashes of how providers call that. */
    processedEvents: p
      .array<string>()
      .columnType('text[]')
      .onCreate(() => []),
  },
})

/** Whose the links are in emails that somebody got before she was erased: by a hash alone, as suppressions have it. */
export class ErasedContact extends erasedTable.class {}
erasedTable.setClass(ErasedContact)
