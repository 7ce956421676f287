import { compileQuickly, parse } from '../http/index.ts'
import { oneSpelling } from '../platform/ids.ts'
import { contactSchema, type ContactBody } from './schemas.ts'
import type { ContactInput } from './upsert-contacts.ts'

const isContact = compileQuickly(contactSchema)

/**
 * Reads one of many contacts that somebody gives.
 * @throws {Refusal} `invalid` that says what is wrong with it
 */
export const checkContact = (given: unknown): ContactInput =>
  toInput(isContact(given) ? (given as ContactBody) : parse(contactSchema, given))

export const toInput = ({ email, externalId, firstName, metadata, listId, tags }: ContactBody): ContactInput => ({
  email: email.trim(),
  externalId,
  firstName,
  metadata,
  listId: listId === undefined ? undefined : oneSpelling(listId),
  tags,
})
