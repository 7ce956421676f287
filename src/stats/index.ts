export { CounterChange, FlowCounter, NextWake, StepCounter, StepPlace } from './entities.ts'
export { foldStats } from './queries.ts'
