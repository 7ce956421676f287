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
    /** How often it has changed what may be sent to it: see `src/messages/store-queries.ts`. */
    consentVersion: p.integer().onCreate(() => 0),
    /** Whether somebody has typed its address, and its owner has not said a word yet: see docs/consent.md. */
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

/** A tag that a contact has: its key is how tags are compared, and its name as it was first given. */
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

/** An address that a contact had until then. A bounce refers to the address that the email was sent to. */
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

/** That an address is not to be mailed, and why. It outlives an erasure of its contact, as a hash alone. */
export class Suppression extends suppressionTable.class {}
suppressionTable.setClass(Suppression)

const tallyTable = defineEntity({
  name: 'Tally',
  tableName: 'contact_counters',
  properties: {
    subject: p.uuid().primary(),
    block: p.bigint('number').primary(),
    slot: p.smallint().primary(),
    count: p.integer(),
  },
})

/** How many contacts a workspace has in a block of their positions. A trigger counts them. */
export class Tally extends tallyTable.class {}
tallyTable.setClass(Tally)
