import { defineEntity, p } from '@mikro-orm/core'

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

const archivedCountsTable = defineEntity({
  name: 'ArchivedCounts',
  tableName: 'archived_counts',
  properties: {
    id: p.bigint('string').primary(),
    workspaceId: p.uuid(),
    counts: p.json(),
  },
})

/** The counts of rows that were deleted because of their age. */
export class ArchivedCounts extends archivedCountsTable.class {}
archivedCountsTable.setClass(ArchivedCounts)

const domainDayTable = defineEntity({
  name: 'DomainDay',
  tableName: 'domain_days',
  properties: {
    workspaceId: p.uuid().primary(),
    domain: p.text().primary(),
    day: p.date().primary(),
    sent: p.bigint('number'),
    rejected: p.bigint('number'),
    hardBounced: p.bigint('number'),
    softBounced: p.bigint('number'),
    blocked: p.bigint('number'),
    complained: p.bigint('number'),
    unsubscribed: p.bigint('number'),
    opened: p.bigint('number'),
    clicked: p.bigint('number'),
    machineOpened: p.bigint('number'),
  },
})

/** The results of the messages of a day to a receiving domain. */
export class DomainDay extends domainDayTable.class {}
domainDayTable.setClass(DomainDay)

const domainChangeTable = defineEntity({
  name: 'DomainChange',
  tableName: 'domain_changes',
  properties: {
    id: p.bigint('string').primary(),
    workspaceId: p.uuid(),
    domain: p.text(),
    day: p.date(),
    sent: p.integer(),
    rejected: p.integer(),
    hardBounced: p.integer(),
    softBounced: p.integer(),
    blocked: p.integer(),
    complained: p.integer(),
    unsubscribed: p.integer(),
    opened: p.integer(),
    clicked: p.integer(),
    machineOpened: p.integer(),
  },
})

/** Changes that have not been added to the numbers of domains yet. */
export class DomainChange extends domainChangeTable.class {}
domainChangeTable.setClass(DomainChange)

const linkClicksTable = defineEntity({
  name: 'LinkClicks',
  tableName: 'link_clicks',
  properties: {
    automationId: p.uuid().primary(),
    stepId: p.uuid().primary(),
    urlHash: p.blob().primary(),
    url: p.text(),
    clicks: p.bigint('number'),
  },
})

/** The messages of a step or variant in which a person clicked a link. */
export class LinkClicks extends linkClicksTable.class {}
linkClicksTable.setClass(LinkClicks)

const linkChangeTable = defineEntity({
  name: 'LinkChange',
  tableName: 'link_changes',
  properties: {
    id: p.bigint('string').primary(),
    automationId: p.uuid(),
    stepId: p.uuid(),
    url: p.text(),
    change: p.integer(),
  },
})

/** Changes that have not been added to the clicks yet. */
export class LinkChange extends linkChangeTable.class {}
linkChangeTable.setClass(LinkChange)
