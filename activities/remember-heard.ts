import * as enrollments from '../src/enrollments/index.ts'
import type { Heard } from '../src/sequences/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import type { OfInstallation } from './own-enrollments.ts'

export type RememberHeardInput = Heard & OfInstallation

/** Keeps what an enrollment has heard so far, so that it need not be carried on. */
export const rememberHeard = ({ em }: ActivityDependencies, heard: RememberHeardInput): Promise<void> =>
  enrollments.rememberHeard(em.fork(), heard)
