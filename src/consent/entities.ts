import { defineEntity, p } from '@mikro-orm/core'

const erasedTable = defineEntity({
  name: 'ErasedContact',
  tableName: 'erased_contacts',
  properties: {
    contactId: p.uuid().primary(),
    workspaceId: p.uuid(),
    addressHash: p.blob().primary(),
    /** Hashes of the provider notifications that were applied recently. */
    processedEvents: p
      .array<string>()
      .columnType('text[]')
      .onCreate(() => []),
  },
})

/** Maps the links in emails of an erased contact to their addresses, which are stored as hashes, like those of suppressions. */
export class ErasedContact extends erasedTable.class {}
erasedTable.setClass(ErasedContact)
