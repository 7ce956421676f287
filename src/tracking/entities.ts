import { defineEntity, p } from '@mikro-orm/core'
import type { Visitor } from './visitor.ts'

const schema = defineEntity({
  name: 'MessageVisit',
  tableName: 'message_visits',
  primaryKeys: ['messageId', 'kind', 'url'],
  properties: {
    messageId: p.uuid().primary(),
    kind: p.text().$type<'OPEN' | 'CLICK'>().primary(),
    /** The link's target; empty for an open. */
    url: p.text().primary(),
    links: p.integer(),
    at: p.datetime(),
    lastAt: p.datetime(),
    visits: p.integer(),
    visitor: p.text().$type<Visitor>(),
  },
})

/** A tracking event: an open of an email, or a click on one of its links. One row each, no matter how often it occurs. */
export class MessageVisit extends schema.class {}
schema.setClass(MessageVisit)
