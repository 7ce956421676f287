import { defineEntity, p } from '@mikro-orm/core'

const stepPlaceTable = defineEntity({
  name: 'StepPlace',
  tableName: 'step_offsets',
  properties: {
    automationId: p.uuid().primary(),
    version: p.integer().primary(),
    stepId: p.uuid().primary(),
    place: p.integer(),
    emailId: p.uuid(),
    wait: p.interval(),
  },
})

/** The successor of each email of a version: the next email, and the waits before it. */
export class StepPlace extends stepPlaceTable.class {}
stepPlaceTable.setClass(StepPlace)

const nextWakeTable = defineEntity({
  name: 'NextWake',
  tableName: 'next_wakes',
  properties: {
    enrollmentId: p.uuid().primary(),
    workspaceId: p.uuid(),
    automationId: p.uuid(),
    version: p.integer(),
    emailId: p.uuid(),
    wakesAt: p.datetime(),
  },
})

/** When an enrollment continues, and with which email. Written by triggers: see `migrations/001-baseline.sql`. */
export class NextWake extends nextWakeTable.class {}
nextWakeTable.setClass(NextWake)

const stepCounterTable = defineEntity({
  name: 'StepCounter',
  tableName: 'step_counters',
  properties: {
    automationId: p.uuid().primary(),
    stepId: p.uuid().primary(),
    counter: p.text().primary(),
    count: p.bigint('number'),
  },
})

/** Counters of a step. */
export class StepCounter extends stepCounterTable.class {}
stepCounterTable.setClass(StepCounter)

const flowCounterTable = defineEntity({
  name: 'FlowCounter',
  tableName: 'flow_counters',
  properties: {
    subject: p.uuid().primary(),
    counter: p.text().primary(),
    at: p.datetime().primary(),
    count: p.bigint('number'),
  },
})

/** Counters of an interval of time. */
export class FlowCounter extends flowCounterTable.class {}
flowCounterTable.setClass(FlowCounter)

const counterChangeTable = defineEntity({
  name: 'CounterChange',
  tableName: 'counter_changes',
  properties: {
    id: p.bigint('string').primary(),
    workspaceId: p.uuid(),
    automationId: p.uuid(),
    stepId: p.uuid(),
    at: p.datetime(),
    counter: p.text(),
    change: p.integer(),
  },
})

/** Changes that have not been added to the counters yet. */
export class CounterChange extends counterChangeTable.class {}
counterChangeTable.setClass(CounterChange)
