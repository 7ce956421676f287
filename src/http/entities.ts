import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'StoredResponse',
  tableName: 'idempotency_keys',
  properties: {
    workspaceId: p.uuid().primary(),
    key: p.text().primary(),
    id: p.uuid(),
    fingerprint: p.blob().nullable(),
    contactId: p.uuid().nullable(),
    status: p.integer().nullable(),
    headers: p.json<Record<string, string>>().nullable(),
    body: p.json<unknown>().nullable(),
    attempt: p.integer(),
    leaseUntil: p.datetime(),
    createdAt: p.datetime(),
  },
})

/** A request that carried an Idempotency-Key, in progress or with its stored response. */
export class StoredResponse extends schema.class {}
schema.setClass(StoredResponse)
