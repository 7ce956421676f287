import * as publishing from '../src/publishing/index.ts'
import type { InstanceRef } from './check-instance.ts'
import type { ActivityDependencies } from './dependencies.ts'

export interface MoveEnrollmentInput extends publishing.MovingEnrollment, InstanceRef {}

/** Moves an enrollment to the version of a publication that moves the contacts inside. */
export const moveEnrollment = (
  { em }: ActivityDependencies,
  input: MoveEnrollmentInput,
): Promise<publishing.MoveResult> => publishing.moveEnrollment(em.fork(), input)
