import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'List',
  tableName: 'lists',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    /** Whether the preferences page shows it. */
    public: p.boolean().onCreate(() => false),
    /** Whether contacts must confirm by email before they join. */
    doubleOptIn: p.boolean().onCreate(() => false),
    /** When its deletion started. */
    deletingSince: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

/** A named set of contacts, who can join and leave: see `queries.ts`. */
export class List extends schema.class {}
schema.setClass(List)

const memberTable = defineEntity({
  name: 'ListMember',
  tableName: 'list_members',
  properties: {
    listId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    addedAt: p.datetime(),
  },
})

/** The membership of a contact in a list. */
export class ListMember extends memberTable.class {}
memberTable.setClass(ListMember)

const requestTable = defineEntity({
  name: 'ListRequest',
  tableName: 'confirmation_requests',
  properties: {
    listId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    id: p.uuid(),
    emailKey: p.text(),
    requestedAt: p.datetime(),
    /** When the automation that sends the confirmation email was started; `null` after an import, or if none was active. */
    askedAt: p.datetime().nullable(),
  },
})

/** A pending confirmation: the contact joins the list when they confirm from this address. */
export class ListRequest extends requestTable.class {}
requestTable.setClass(ListRequest)

const askTable = defineEntity({
  name: 'ListConfirmationEmail',
  tableName: 'confirmation_emails',
  properties: {
    id: p.uuid().primary(),
    listId: p.uuid(),
    addressHash: p.blob(),
    at: p.datetime(),
  },
})

/** A recent confirmation email to an address, regardless of the contact. */
export class ListConfirmationEmail extends askTable.class {}
askTable.setClass(ListConfirmationEmail)

const optOutTable = defineEntity({
  name: 'ListOptOut',
  tableName: 'list_opt_outs',
  properties: {
    listId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    createdAt: p.datetime(),
  },
})

/** The opt-out of a contact from a list. It has no foreign key, because it outlives the list for messages that may be retried. */
export class ListOptOut extends optOutTable.class {}
optOutTable.setClass(ListOptOut)

const tallyTable = defineEntity({
  name: 'ListCounter',
  tableName: 'list_counters',
  properties: {
    listId: p.uuid().primary(),
    slot: p.smallint().primary(),
    count: p.integer(),
  },
})

/** The number of contacts in a list. A trigger maintains it. */
export class ListCounter extends tallyTable.class {}
tallyTable.setClass(ListCounter)
