import { defineEntity, p } from '@mikro-orm/core'
import type { StoredStep } from '../../domain/steps.ts'

const schema = defineEntity({
  name: 'AutomationVersion',
  tableName: 'automation_versions',
  properties: {
    automationId: p.uuid().primary(),
    version: p.integer().primary(),
    steps: p.json<StoredStep[]>(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** An immutable list of steps, ordered by position. An enrollment is pinned to one. */
export class AutomationVersion extends schema.class {}
schema.setClass(AutomationVersion)
