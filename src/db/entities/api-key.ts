import { defineEntity, p } from '@mikro-orm/core'
import { newId } from '../../domain/ids.ts'
import type { Scope } from '../../domain/scopes.ts'
import { Workspace } from './workspace.ts'

const schema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    workspace: () => p.manyToOne(Workspace),
    name: p.text(),
    prefix: p.text(),
    hash: p.blob(),
    scopes: p.array<Scope>().columnType('text[]'),
    allowedRanges: p
      .array<string>()
      .columnType('text[]')
      .onCreate(() => []),
    rateLimit: p.integer().onCreate(() => 120),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** A key of a workspace: its hash and what it may do, never the key itself (design, section 9). */
export class ApiKey extends schema.class {}
schema.setClass(ApiKey)
