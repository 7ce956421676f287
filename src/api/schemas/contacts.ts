import { array, mixed, object, string, type InferType } from 'yup'
import { isEmailAddress } from '../../domain/email-address.ts'
import { jsonBytes } from '../../domain/json.ts'
import { filledString, freeObject } from './fields.ts'
import './locale.ts'

/** Of the texts that describe a contact; nothing real comes near. */
const MAX_TEXT_LENGTH = 1_000

/** `POST /contacts` (specification, section 2.8). */
export const contactSchema = object({
  email: string()
    .required('email is required')
    .test({ name: 'email', message: 'Invalid email address', test: (value) => isEmailAddress(value.trim()) }),
  firstName: string().nullable().max(MAX_TEXT_LENGTH),
  metadata: freeObject(),
})
export type ContactBody = InferType<typeof contactSchema>

/** Specification, section 8. */
export const MAX_BULK_CONTACTS = 1_000

/** `POST /contacts/bulk`. The items are checked one by one: an invalid one fails alone. */
export const bulkSchema = object({
  contacts: array()
    .of(mixed().nullable())
    .required()
    .max(MAX_BULK_CONTACTS, `contacts array must not exceed ${MAX_BULK_CONTACTS} items`),
})

/** Specification, section 6.2. */
export const MAX_EVENT_DATA_BYTES = 16 * 1024

/** `POST /contacts/{id}/events` (specification, section 4.6). */
export const eventSchema = object({
  name: filledString().required().max(MAX_TEXT_LENGTH),
  data: freeObject().test({
    name: 'size',
    message: 'Request body too large',
    test: (value) => value === undefined || jsonBytes(value) <= MAX_EVENT_DATA_BYTES,
  }),
})
