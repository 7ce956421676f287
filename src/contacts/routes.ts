import { listContactPage, contactPage, WRITE_ONLY_NOTE } from './contact-page.ts'
import { checkContact, toInput } from './check-contact.ts'
import { CONTACT_PARAM } from './contact-param.ts'
import { CONTACT_NOT_FOUND, EMAIL_TAKEN, EXTERNAL_ID_TAKEN } from './errors.ts'
import { LIST_NOT_FOUND } from '../lists/index.ts'
import { SEGMENT_NOT_FOUND } from '../segments/index.ts'
import { CONTACT_LIMITS } from './contact-limits.ts'
import { ApiError } from '../platform/api-error.ts'
import { getContact } from './search-contacts.ts'
import { TOO_MANY_STARTS } from '../triggers/index.ts'
import { updateContact } from './update-contact.ts'
import { zoneWarnings } from './zone-warning.ts'
import { upsertContact, upsertManyContacts } from './upsert-contacts.ts'
import { BULK_BODY_LIMIT, checkItems, nothingToUpdate, operation, single, ok, warn } from '../http/index.ts'
import {
  bulkResultResponse,
  contactResponse,
  presentContact,
  presentWritten,
  writtenContactResponse,
} from './responses.ts'
import { bulkSchema, contactQuery, contactSchema, updateContactSchema } from './schemas.ts'

const NOTHING_TO_UPDATE = nothingToUpdate(Object.keys(updateContactSchema.fields))

/** The operations on a contact in a response. */
const contactLinks = (id: string) => ({
  getContact: { id },
  updateContact: { id },
  eraseContact: { id },
  fireEvent: { id },
  tagContact: { id },
  listActivity: { id },
})

export { erasureOperations } from './erasure-routes.ts'
export { exportOperations } from './export-routes.ts'
export { listContactOperations } from './list-routes.ts'
export { segmentContactOperations } from './segment-routes.ts'
export { tagOperations } from './tag-routes.ts'

export const contactOperations = [
  operation({
    id: 'listContacts',
    method: 'GET',
    path: '/contacts',
    tag: 'Contacts',
    summary: 'List or search contacts',
    description: 'Newest first. Contacts must match all given filters.',
    scope: 'contacts:read',
    query: contactQuery,
    // The response can be several megabytes.
    responses: { 200: contactPage },
    errors: { 404: [LIST_NOT_FOUND, SEGMENT_NOT_FOUND] },
    handle: ({ caller, query: { page, limit, ...search } }, { em }) =>
      listContactPage(em, caller.workspace.id, search, { page, limit }),
  }),

  operation({
    id: 'upsertContact',
    method: 'POST',
    path: '/contacts',
    tag: 'Contacts',
    summary: 'Create or update a contact',
    description:
      'Creates a contact, or updates the one with this email. Given fields replace the stored ones, and metadata is merged. ' +
      'A new contact, a list that it joins and a tag that it gets start the automations that they trigger. Repeating stored values starts nothing. ' +
      WRITE_ONLY_NOTE,
    scope: 'contacts:write',
    body: contactSchema,
    responses: {
      200: {
        description: 'The existing contact was updated.',
        schema: single(writtenContactResponse),
        links: contactLinks('$response.body#/data/id'),
      },
      201: {
        description: 'The contact was created.',
        schema: single(writtenContactResponse),
        links: contactLinks('$response.body#/data/id'),
      },
    },
    errors: {
      400: ['email is required', 'Invalid email address', ...Object.values(CONTACT_LIMITS)],
      404: [LIST_NOT_FOUND],
      409: [EXTERNAL_ID_TAKEN],
    },
    async handle({ caller, body, call }, dependencies) {
      const contact = await upsertContact(dependencies, caller.workspace.id, toInput(body), call)
      return {
        status: contact.created ? 201 : 200,
        headers: warn(zoneWarnings(body.metadata)),
        body: { data: presentWritten(caller, contact, toInput(body)) },
        contactId: contact.id,
      }
    },
  }),

  operation({
    id: 'upsertContacts',
    method: 'POST',
    path: '/contacts/bulk',
    tag: 'Contacts',
    summary: 'Create or update up to 1,000 contacts',
    description:
      'Writes all valid items in one transaction. Invalid items fail without affecting the others. Automations start in the ' +
      'background. With `triggers: false`, none start.',
    scope: 'contacts:write',
    body: bulkSchema,
    bodyLimit: BULK_BODY_LIMIT,
    responses: { 200: { description: 'The result.', schema: single(bulkResultResponse) } },
    errors: { 400: ['contacts array must not exceed 1000 items', 'contacts is required', TOO_MANY_STARTS] },
    prepare: ({ body }) => checkItems(body.contacts as unknown[], checkContact),
    async handle({ caller, body: { triggers = true }, prepared, call }, dependencies) {
      const { inputs } = prepared
      const written = await upsertManyContacts(dependencies, caller.workspace.id, { inputs, triggers }, call)
      const errors = [...prepared.errors, ...written.errors].toSorted((a, b) => a.index - b.index)
      const { created, updated } = written
      const data = { created, updated, failed: errors.length, errors }
      return ok(data)
    },
  }),

  operation({
    id: 'getContact',
    method: 'GET',
    path: '/contacts/{id}',
    params: { id: CONTACT_PARAM },
    tag: 'Contacts',
    summary: 'Get a contact',
    description: 'Returns the contact with its tags and lists.',
    scope: 'contacts:read',
    responses: {
      200: {
        description: 'The contact.',
        schema: single(contactResponse),
        links: contactLinks('$response.body#/data/id'),
      },
    },
    errors: { 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const contact = await getContact(em, caller.workspace.id, params.id)
      return ok(presentContact(contact))
    },
  }),

  operation({
    id: 'updateContact',
    method: 'PATCH',
    path: '/contacts/{id}',
    params: { id: CONTACT_PARAM },
    tag: 'Contacts',
    summary: 'Update a contact',
    description:
      'Changes the given fields. Metadata is merged. Starts no automation. Later emails go to a new address. An email that is ' +
      'in flight goes to the old one. ' +
      WRITE_ONLY_NOTE,
    scope: 'contacts:write',
    body: updateContactSchema,
    responses: {
      200: {
        description: 'The contact.',
        schema: single(writtenContactResponse),
        links: contactLinks('$response.body#/data/id'),
      },
    },
    errors: {
      400: [NOTHING_TO_UPDATE, 'Invalid email address', CONTACT_LIMITS.contacts_metadata_size],
      404: [CONTACT_NOT_FOUND],
      409: [EMAIL_TAKEN, EXTERNAL_ID_TAKEN],
    },
    async handle({ caller, params, body }, { em }) {
      if (Object.keys(body).length === 0) throw new ApiError(NOTHING_TO_UPDATE)
      const change = { ...body, email: body.email?.trim() }
      const tellsWhose = caller.scopes.includes('contacts:read')
      const contact = await updateContact(em, caller.workspace.id, params.id, change, tellsWhose)
      return {
        status: 200,
        headers: warn(zoneWarnings(body.metadata)),
        body: { data: presentWritten(caller, contact, change) },
        contactId: contact.id,
      }
    },
  }),
]
