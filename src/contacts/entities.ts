import { defineEntity, p } from '@mikro-orm/core'
import type { SuppressionReason } from './suppression.ts'

const schema = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    email: p.text(),
    emailKey: p.text(),
    externalId: p.text().nullable(),
    firstName: p.text().nullable(),
    metadata: p.json<Record<string, unknown>>(),
    datesWritten: p.json<Record<string, string>>().onCreate(() => ({})),
    /** An optimistic lock that grows with each change to what may be sent to the contact: see `src/messages/store-queries.ts`. */
    consentVersion: p.integer().onCreate(() => 0),
    /** Whether the address was entered but its owner has not confirmed it yet: see docs/consent.md. */
    unconfirmed: p.boolean().onCreate(() => false),
    place: p.bigint('number').generated('identity'),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

/** A subscriber of a workspace. */
export class Contact extends schema.class {}
schema.setClass(Contact)

const tagTable = defineEntity({
  name: 'ContactTag',
  tableName: 'contact_tags',
  properties: {
    contactId: p.uuid().primary(),
    workspaceId: p.uuid(),
    tagKey: p.text().primary(),
    name: p.text(),
    addedAt: p.datetime(),
  },
})

/** A tag of a contact: the key is compared, and the name keeps the spelling in which it was first given. */
export class ContactTag extends tagTable.class {}
tagTable.setClass(ContactTag)

const formerTable = defineEntity({
  name: 'FormerAddress',
  tableName: 'former_addresses',
  properties: {
    contactId: p.uuid().primary(),
    until: p.datetime().primary(),
    workspaceId: p.uuid(),
    email: p.text(),
    emailKey: p.text(),
  },
})

/** A former address of a contact. A bounce refers to the address that the email was sent to. */
export class FormerAddress extends formerTable.class {}
formerTable.setClass(FormerAddress)

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

/** An address that must not be emailed, and the reason. It outlives an erasure of its contact as a hash. */
export class Suppression extends suppressionTable.class {}
suppressionTable.setClass(Suppression)

const tallyTable = defineEntity({
  name: 'ContactCounter',
  tableName: 'contact_counters',
  properties: {
    subject: p.uuid().primary(),
    block: p.bigint('number').primary(),
    slot: p.smallint().primary(),
    count: p.integer(),
  },
})

/** The number of a workspace's contacts in one block of positions. A trigger maintains it. */
export class ContactCounter extends tallyTable.class {}
tallyTable.setClass(ContactCounter)
