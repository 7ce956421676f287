import type { Scope, WorkspaceMode } from '../http/index.ts'
import { defineEntity, p } from '@mikro-orm/core'
import { newId } from '../platform/ids.ts'

/** Thirteen months, so that a year can be compared with the one before. */
const DEFAULT_EVENT_RETENTION_DAYS = 396

const DEFAULT_CONTENT_RETENTION_DAYS = 30

const workspaceTable = defineEntity({
  name: 'Workspace',
  tableName: 'workspaces',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    name: p.text(),
    mode: p.text().$type<WorkspaceMode>(),
    /** An IANA name, for contacts without a time zone of their own. */
    timezone: p.text().onCreate(() => 'UTC'),
    /** Days for which custom events are stored. */
    eventRetentionDays: p.integer().onCreate(() => DEFAULT_EVENT_RETENTION_DAYS),
    /** Days for which the content of emails is stored after they were sent. */
    contentRetentionDays: p.integer().onCreate(() => DEFAULT_CONTENT_RETENTION_DAYS),
    /** Days for which messages and step runs are stored; null keeps them. */
    historyRetentionDays: p.integer().nullable(),
    /** How far the clock of a test workspace was moved forward. */
    clockAheadMinutes: p.integer().onCreate(() => 0),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** The tenant. Everything belongs to exactly one workspace and cannot access another. */
export class Workspace extends workspaceTable.class {}
workspaceTable.setClass(Workspace)

const apiKeyTable = defineEntity({
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
    /** When the key expires. */
    expiresAt: p.datetime().nullable(),
    rotatedAt: p.datetime().nullable(),
    /** Lags by a few minutes. More recent uses are in the key's rate window. */
    lastUsedAt: p.datetime().nullable(),
  },
})

/** An API key: its hash and its permissions, never the key itself. */
export class ApiKey extends apiKeyTable.class {}
apiKeyTable.setClass(ApiKey)

const windowTable = defineEntity({
  name: 'RateWindow',
  tableName: 'rate_windows',
  properties: {
    subject: p.uuid().primary(),
    size: p.integer(),
    admitted: p.bigint('number'),
    lastAt: p.datetime().nullable(),
  },
})

/** The requests of a key or an address in the last 60 seconds: a ring, written by `take_request`. */
export class RateWindow extends windowTable.class {}
windowTable.setClass(RateWindow)

const slotTable = defineEntity({
  name: 'RateSlot',
  tableName: 'rate_slots',
  properties: {
    subject: p.uuid().primary(),
    slot: p.integer().primary(),
    at: p.datetime(),
  },
})

/** The time of one admitted request. */
export class RateSlot extends slotTable.class {}
slotTable.setClass(RateSlot)
