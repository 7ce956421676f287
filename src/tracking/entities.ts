import { defineEntity, p } from '@mikro-orm/core'
import type { Visitor } from './visitor.ts'

const schema = defineEntity({
  name: 'MessageVisit',
  tableName: 'message_visits',
  primaryKeys: ['messageId', 'kind', 'url'],
  properties: {
    messageId: p.uuid().primary(),
    kind: p.text().$type<'OPEN' | 'CLICK'>().primary(),
    /** Where the link leads; of an opening, an empty text. */
    url: p.text().primary(),
    links: p.integer(),
    at: p.datetime(),
    lastAt: p.datetime(),
    visits: p.integer(),
    visitor: p.text().$type<Visitor>(),
  },
})

/** That an email was opened, or one of its links followed: a row for each, however often. */
export class MessageVisit extends schema.class {}
schema.setClass(MessageVisit)
