import { parse } from '../http/index.ts'
import { normalizeId } from '../platform/ids.ts'
import { contactSchema, type ContactBody } from './schemas.ts'
import type { ContactInput } from './upsert-contacts.ts'

/** Validates one item of a bulk request. @throws {ApiError} `invalid_request` with the reason */
export const checkContact = (given: unknown): ContactInput => toInput(parse(contactSchema, given))

export const toInput = ({ email, externalId, firstName, metadata, listId, tags }: ContactBody): ContactInput => ({
  email: email.trim(),
  externalId,
  firstName,
  metadata,
  listId: listId === undefined ? undefined : normalizeId(listId),
  tags,
})
