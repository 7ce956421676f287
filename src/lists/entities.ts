import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'List',
  tableName: 'lists',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
})

/** A named set of contacts, who are put in and taken out one by one: see `queries/lists.ts`. */
export class List extends schema.class {}
schema.setClass(List)
