import { object, string } from 'yup'
import { MAX_METADATA_BYTES } from '../contacts/index.ts'
import { atMost, boundedObject, cursorQuery, EXAMPLE_ID, filledText, givenId } from '../http/index.ts'
import { MAX_KEY_LENGTH } from './entry-rules.ts'
import { ENROLLMENT_STATUSES } from '../automation-engine/index.ts'

/** `POST /automations/{id}/enroll`. */
export const enrollSchema = object({
  contactId: givenId(
    'The contact to enroll: its ID, `email:` with its address, or `external:` with its externalId.',
  ).required(),
  merge: boundedObject(MAX_METADATA_BYTES).meta({
    description: "Merged into the contact's metadata first. A null removes a key.",
    example: { plan: 'pro' },
  }),
  key: filledText()
    .test(atMost(MAX_KEY_LENGTH))
    .meta({
      description:
        'For an automation whose entry.concurrency has a key, the value of that key. The contact can be in the automation once for ' +
        'each value.',
    }),
})

/** `GET /automations/{id}/enrollments`. */
export const enrollmentsQuery = cursorQuery({
  status: string()
    .oneOf(ENROLLMENT_STATUSES)
    .meta({ description: 'Only enrollments in this status.', example: 'ACTIVE' }),
  sort: string()
    .oneOf(['entered', 'next'] as const)
    .default('entered')
    .meta({
      description: 'Most recent first, or the ACTIVE ones by the time at which they continue.',
      example: 'next',
    }),
  stepId: string().meta({
    description: 'With `sort=next`: only enrollments whose next step is this one.',
    isId: true,
    example: EXAMPLE_ID,
  }),
})

/** `GET /contacts/{id}/enrollments`. */
export const contactEnrollmentsQuery = cursorQuery({
  status: string()
    .oneOf(ENROLLMENT_STATUSES)
    .meta({ description: 'Only enrollments in this status.', example: 'ACTIVE' }),
})
