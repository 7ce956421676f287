import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    email: p.text(),
    emailKey: p.text(),
    firstName: p.text().nullable(),
    metadata: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

/** A subscriber of a workspace. Written by `queries/upsert-contacts.ts`, which merges in one statement. */
export class Contact extends schema.class {}
schema.setClass(Contact)
