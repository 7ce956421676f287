import { boolean, number, object, string, type InferType } from 'yup'
import { count, id, timestamp } from '../http/index.ts'
import { ENROLLMENT_STATUSES, enrollmentWorkflowId } from '../automation-engine/index.ts'
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
    description: 'Whether the enrollment waits before a step because its automation is paused or a draft.',
    example: false,
  }),
  version: count('The version of the steps that it follows.'),
  enrolledAt: timestamp('When the enrollment started.'),
  endedAt: timestamp('When the enrollment ended; null while it is ACTIVE.').nullable().defined(),
  workflowId: string().required().meta({
    description: 'The ID of its workflow in Temporal.',
    example: 'enrollment:01981e61-0000-7000-8000-000000000001:01981e61-0000-7000-8000-000000000002',
  }),
  nextStepId: string()
    .nullable()
    .defined()
    .meta({
      description: 'The next step that is not a WAIT; null if the enrollment has ended, or no such step follows.',
      json: { format: 'uuid' },
      example: null,
    }),
  nextAt: timestamp('When the next step is due; null if the enrollment has ended.').nullable().defined(),
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
  concurrencyKey,
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
  workflowId: enrollmentWorkflowId({ automationId, contactId, concurrencyKey }),
  nextStepId,
  nextAt: nextAt?.toISOString() ?? null,
})
