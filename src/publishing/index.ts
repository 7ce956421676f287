export { AutomationMove } from './entities.ts'
export { moveEnrollment, type MoveResult, type MovingEnrollment } from './move-enrollment.ts'
export { continueMove } from './move-job.ts'
export { publishSchema } from './schemas.ts'
