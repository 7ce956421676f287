import { end } from '../machine-state.ts'
import type { EngineStepType } from './step-type.ts'

export interface ExitOutline {
  id: string
  type: 'EXIT'
}

/** Ends the enrollment. */
export const exit: EngineStepType<ExitOutline, ExitOutline> = {
  outlineOf: ({ id, type }) => ({ id, type }),
  describe: () => 'EXIT',
  enter: ({ id }, { state }) => end({ ...state, stepId: id }, 'EXITED'),
}
