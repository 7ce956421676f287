import { boolean, number, object, string, type InferType } from 'yup'
import { count, id, timestamp } from '../http/index.ts'
import { ENROLLMENT_STATUSES } from '../automation-engine/index.ts'
import type { ListedEnrollment } from './list-queries.ts'

/** What enrolling did. */
export const enrollmentResultResponse = object({
  automationId: id('automation'),
  contactId: id('contact'),
  enrolled: boolean().required().meta({
    description: 'False when the contact is in the automation already; nothing has happened then.',
    example: true,
  }),
  matchingAutomations: number()
    .integer()
    .min(0)
    .max(1)
    .required()
    .meta({ description: '1 when newly enrolled, 0 when already active.', example: 1 }),
  enrolledAt: timestamp('When the call was taken.'),
})
  .required()
  .meta({ component: 'EnrollmentResult' })

/** A contact in an automation, from its first step to its end. */
export const enrollmentResponse = object({
  id: id('enrollment'),
  automationId: id('automation'),
  contactId: id('contact'),
  status: string().oneOf(ENROLLMENT_STATUSES).required().meta({
    description:
      'ACTIVE until it ends: COMPLETED behind the last step, STOPPED by a refused email, CANCELLED by somebody.',
    example: 'ACTIVE',
  }),
  paused: boolean().required().meta({
    description: 'Whether it waits before an email because its automation is paused or a draft.',
    example: false,
  }),
  version: count('The version of the steps that it goes through.'),
  enrolledAt: timestamp('When it began.'),
  endedAt: timestamp('When it ended; null while it is ACTIVE.').nullable().defined(),
  nextStepId: string()
    .nullable()
    .defined()
    .meta({
      description: 'The email that is next; null where it has ended, or only its end is to come.',
      json: { format: 'uuid' },
      example: null,
    }),
  nextAt: timestamp('When that is due, or was; null where it has ended.').nullable().defined(),
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
