import { boolean, number, object, string, type InferType } from 'yup'
import { count, id, timestamp } from '../http/index.ts'
import { ENROLLMENT_STATUSES } from '../automation-engine/index.ts'
import { ENTRY_RULES } from '../triggers/index.ts'
import type { ListedEnrollment } from './list-queries.ts'

/** Result of an enroll call. */
export const enrollmentResultResponse = object({
  automationId: id('automation'),
  contactId: id('contact'),
  enrolled: boolean().required().meta({
    description: 'False if the contact is already in the automation. The call did nothing then.',
    example: true,
  }),
  matchingAutomations: number()
    .integer()
    .min(0)
    .max(1)
    .required()
    .meta({ description: '1 if newly enrolled, 0 if already active.', example: 1 }),
  refusedBy: string()
    .oneOf(ENTRY_RULES)
    .meta({ description: 'The rule that kept the contact out. Only present if one did.', example: 'REENTRY' }),
  enrolledAt: timestamp('When the call was received.'),
})
  .required()
  .meta({ component: 'EnrollmentResult' })

/** A contact in an automation, from the first step to the end. */
export const enrollmentResponse = object({
  id: id('enrollment'),
  automationId: id('automation'),
  contactId: id('contact'),
  status: string().oneOf(ENROLLMENT_STATUSES).required().meta({
    description:
      'ACTIVE until it ends: COMPLETED after the last step, STOPPED by a rejected email, EXITED or GOAL_REACHED by a rule, or CANCELLED.',
    example: 'ACTIVE',
  }),
  paused: boolean().required().meta({
    description: 'Whether the enrollment waits before an email because its automation is paused or a draft.',
    example: false,
  }),
  version: count('The version of the steps that it follows.'),
  enrolledAt: timestamp('When the enrollment started.'),
  endedAt: timestamp('When the enrollment ended; null while it is ACTIVE.').nullable().defined(),
  nextStepId: string()
    .nullable()
    .defined()
    .meta({
      description: 'The next email; null if the enrollment has ended, or no email follows.',
      json: { format: 'uuid' },
      example: null,
    }),
  nextAt: timestamp('When the next email is due; null if the enrollment has ended.').nullable().defined(),
})
  .required()
  .meta({ component: 'Enrollment', description: 'A contact in an automation.' })

export const presentEnrollment = ({
  id,
  automationId,
  contactId,
  status,
  paused,
  version,
  enrolledAt,
  endedAt,
  nextStepId,
  nextAt,
}: ListedEnrollment): InferType<typeof enrollmentResponse> => ({
  id,
  automationId,
  contactId,
  status,
  paused,
  version,
  enrolledAt: enrolledAt.toISOString(),
  endedAt: endedAt?.toISOString() ?? null,
  nextStepId,
  nextAt: nextAt?.toISOString() ?? null,
})
