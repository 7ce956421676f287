import { object, string } from 'yup'
import { MAX_METADATA_BYTES } from '../contacts/index.ts'
import { boundedObject, cursorQuery, EXAMPLE_ID, givenId } from '../http/index.ts'
import { ENROLLMENT_STATUSES } from '../automation-engine/index.ts'

/** `POST /automations/{id}/enroll`. */
export const enrollSchema = object({
  contactId: givenId(
    'The contact to enroll: its id, `email:` and its address, or `external:` and its externalId.',
  ).required(),
  merge: boundedObject(MAX_METADATA_BYTES).meta({
    description: "Merged into the contact's metadata before; a null removes a key.",
    example: { plan: 'pro' },
  }),
})

/** `GET /automations/{id}/enrollments`. */
export const enrollmentsQuery = cursorQuery({
  status: string().oneOf(ENROLLMENT_STATUSES).meta({ description: 'Only those in this status.', example: 'ACTIVE' }),
  sort: string()
    .oneOf(['entered', 'next'] as const)
    .default('entered')
    .meta({ description: 'The last entered first; or those who are ACTIVE, by when they go on.', example: 'next' }),
  stepId: string().meta({
    description: 'With `sort=next`: only those who have this email before them.',
    isId: true,
    example: EXAMPLE_ID,
  }),
})

/** `GET /contacts/{id}/enrollments`. */
export const contactEnrollmentsQuery = cursorQuery({
  status: string().oneOf(ENROLLMENT_STATUSES).meta({ description: 'Only those in this status.', example: 'ACTIVE' }),
})
