export { FigureChange, FlowFigure, NextWake, StepFigure, StepPlace } from './entities.ts'
export { foldFigures } from './queries.ts'
