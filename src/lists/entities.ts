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
    goingAt: p.datetime().nullable(),
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
  tableName: 'list_requests',
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
  name: 'ListAsk',
  tableName: 'list_asks',
  properties: {
    id: p.uuid().primary(),
    listId: p.uuid(),
    addressHash: p.blob(),
    at: p.datetime(),
  },
})

/** That an address was asked of late whether it wants to be in a list, whoever had it. */
export class ListAsk extends askTable.class {}
askTable.setClass(ListAsk)
