import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'Instance',
  tableName: 'instance',
  properties: {
    single: p.boolean().primary(),
    id: p.uuid(),
    temporalNamespace: p.text().nullable(),
    temporalNamespaceId: p.text().nullable(),
    temporalTaskQueue: p.text().nullable(),
    mail: p.text().$type<'smtp' | 'capture'>().nullable(),
    mailFrom: p.text().nullable(),
    publicUrl: p.text().nullable(),
    bounceDomain: p.text().nullable(),
    linkSecret: p.blob(),
    restoredAt: p.datetime().nullable(),
    lostUntil: p.datetime().nullable(),
    backedUpAt: p.datetime().nullable(),
  },
})

/** Who this instance is, and what all its parts have agreed on: one row. */
export class Instance extends schema.class {}
schema.setClass(Instance)
