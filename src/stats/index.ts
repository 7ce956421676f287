export { FigureChange, FlowFigure, NextWake, StepFigure, StepPlace } from './entities.ts'
export { foldStats } from './queries.ts'
