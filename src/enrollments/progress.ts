import type { Progress } from '../automation-engine/index.ts'
import type { KnownProgress } from './active-queries.ts'
import { lastInVersion } from './moved-to.ts'

/** Returns where an enrollment without a workflow resumes: after its last step that is done, or where it was when it moved. */
export function progressOf(known: KnownProgress | undefined, enrolledAt: Date): Progress {
  const start: Progress = { stepId: null, at: enrolledAt.getTime() }
  if (!known) return start
  const { steps, movedTo, done } = known
  const last = lastInVersion(steps, movedTo, done)
  if (last) return { stepId: last.stepId, at: last.at.getTime() }
  return movedTo ? { stepId: movedTo.stepId, at: movedTo.at, isPresent: true } : start
}
