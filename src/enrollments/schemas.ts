import { object, string } from 'yup'
import { MAX_METADATA_BYTES } from '../contacts/index.ts'
import { boundedObject, cursorQuery, givenId } from '../http/index.ts'
import { ENROLLMENT_STATUSES } from '../sequences/index.ts'

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
})
