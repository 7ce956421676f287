import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'AutomationCounts',
  tableName: 'automation_counts',
  properties: {
    automationId: p.uuid().primary(),
    enrolled: p.integer().onCreate(() => 0),
    completed: p.integer().onCreate(() => 0),
  },
})

/** How many enrollments an automation has had, and how many of them reached the end. */
export class AutomationCounts extends schema.class {}
schema.setClass(AutomationCounts)
