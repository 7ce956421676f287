import { object } from 'yup'
import { MAX_METADATA_BYTES } from '../contacts/index.ts'
import { boundedObject, givenId } from '../http/index.ts'

/** `POST /automations/{id}/enroll`. */
export const enrollSchema = object({
  contactId: givenId('The contact to enroll.').required(),
  merge: boundedObject(MAX_METADATA_BYTES).meta({
    description: "Merged into the contact's metadata before; a null removes a key.",
    example: { plan: 'pro' },
  }),
})
