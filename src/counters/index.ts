export { CounterChanges, DOMAIN_COLUMNS, type DomainColumn, NO_STEP } from './changes.ts'
export { clearCounters, writeCounterChanges } from './queries.ts'
export { foldCounters } from './fold-queries.ts'
export { CounterChange, DomainChange, DomainDay, FlowCounter, LinkChange, LinkClicks, StepCounter } from './entities.ts'
