import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'List',
  tableName: 'lists',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    /** Whether recipients see it where they choose what they get. */
    public: p.boolean().onCreate(() => false),
    /** Whether nobody joins it who has not confirmed that she wants to. */
    doubleOptIn: p.boolean().onCreate(() => false),
    /** Since when it is being deleted. */
    deletingSince: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

/** A named set of contacts, who are put in and taken out one by one: see `queries/lists.ts`. */
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

/** That a contact is in a list. */
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
    /** When an automation was started that asks; `null` where a file has left her pending, or none was listening. */
    askedAt: p.datetime().nullable(),
  },
})

/** That a contact has been asked, at an address, whether she wants to be in a list. She is in it when she has confirmed. */
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

/** That an address was asked of late whether it wants to be in a list, whoever had it. */
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

/** That a contact left a list themselves. No foreign key: it outlives the list, for messages that are still to be retried. */
export class ListOptOut extends optOutTable.class {}
optOutTable.setClass(ListOptOut)

const tallyTable = defineEntity({
  name: 'ListTally',
  tableName: 'list_counters',
  properties: {
    listId: p.uuid().primary(),
    slot: p.smallint().primary(),
    count: p.integer(),
  },
})

/** How many contacts are in a list. A trigger counts them. */
export class ListTally extends tallyTable.class {}
tallyTable.setClass(ListTally)
