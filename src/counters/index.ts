export { addArchivedCounts, archiveCounts } from './archive-queries.ts'
export { CounterChanges, DOMAIN_COLUMNS, type DomainColumn, NO_STEP } from './changes.ts'
export { variantOf, variantOfSql, variantStep, variantStepSql } from './variant-steps.ts'
export { clearCounters, writeCounterChanges } from './queries.ts'
export { foldCounters } from './fold-queries.ts'
export {
  ArchivedCounts,
  CounterChange,
  DomainChange,
  DomainDay,
  FlowCounter,
  LinkChange,
  LinkClicks,
  StepCounter,
} from './entities.ts'
