import { defineEntity, p } from '@mikro-orm/core'
import type { Condition } from './condition.ts'
import { newId } from '../platform/ids.ts'

const schema = defineEntity({
  name: 'Segment',
  tableName: 'segments',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    workspaceId: p.uuid(),
    name: p.text(),
    condition: p.json<Condition>(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
})

/** A saved condition. The contacts that match it at a given moment are in the segment. */
export class Segment extends schema.class {}
schema.setClass(Segment)
