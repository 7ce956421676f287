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

/** The identity of this instance, and the settings that all its processes share: one row. */
export class Instance extends schema.class {}
schema.setClass(Instance)
