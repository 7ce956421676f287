import * as enrollments from '../src/db/queries/enrollments.ts'
import type { Heard } from '../src/domain/enrollment.ts'
import type { ActivityDependencies } from './dependencies.ts'

/** Keeps what an enrollment has heard so far, so that it need not be carried on. */
export const rememberHeard = ({ em }: ActivityDependencies, heard: Heard): Promise<void> =>
  enrollments.rememberHeard(em.fork(), heard)
