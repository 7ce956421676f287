export {
  CounterChange,
  DomainChange,
  DomainDay,
  FlowCounter,
  LinkChange,
  LinkClicks,
  NextWake,
  StepCounter,
  StepPlace,
} from './entities.ts'
export { foldStats, recentCounts } from './queries.ts'
