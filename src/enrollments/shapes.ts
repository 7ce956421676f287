import { boolean, number, object } from 'yup'
import { id, timestamp } from '../http/index.ts'

/** What enrolling did. */
export const enrollmentResultShape = object({
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
