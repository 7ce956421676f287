import {
  cursorPage,
  cursorListOf,
  deleted,
  deleteResultResponse,
  ok,
  operation,
  presentForWriter,
  readCursor,
  single,
  writeOnlyNote,
} from '../http/index.ts'
import { emailKey } from '../platform/email-address.ts'
import { CONTACT_PARAM, getContact, suppressionPage, CONTACT_NOT_FOUND } from '../contacts/index.ts'
import { consentHistory } from './history.ts'
import { SUPPRESSION_NOT_FOUND } from './errors.ts'
import { suppressionSchema, suppressionsQuery } from './schemas.ts'
import {
  consentHistoryResponse,
  presentConsentChange,
  presentSuppression,
  suppressionResponse,
  writtenSuppressionResponse,
} from './responses.ts'
import { deleteSuppressionById, suppressByCall } from './suppress.ts'

export const consentOperations = [
  operation({
    id: 'listSuppressions',
    method: 'GET',
    path: '/suppressions',
    tag: 'Consent',
    summary: 'List suppressions',
    description: 'Addresses that are not emailed, and the reasons. Newest first.',
    scope: 'contacts:read',
    query: suppressionsQuery,
    responses: { 200: { description: 'A page of suppressions.', schema: cursorListOf(suppressionResponse) } },
    errors: { 400: ['cursor must be the nextCursor of a page of this list'] },
    async handle({ caller, query }, { em }) {
      const { email, reason, limit } = query
      const key = email === undefined ? undefined : emailKey(email.trim())
      const search = { key, reason, behind: readCursor(query.cursor), limit: limit + 1 }
      const page = await suppressionPage(em.fork(), caller.workspace.id, search)
      return cursorPage(page, limit, presentSuppression)
    },
  }),

  operation({
    id: 'createSuppression',
    method: 'POST',
    path: '/suppressions',
    tag: 'Consent',
    summary: 'Suppress an address',
    description:
      'Stops emails to the address: marketing, or all email, depending on the reason. Enrollments of its contact continue without ' +
      'these emails, unless the automation ends for contacts who unsubscribe. If the suppression already exists, it is returned. ' +
      writeOnlyNote('contacts:read'),
    scope: 'contacts:write',
    body: suppressionSchema,
    responses: {
      201: {
        description: 'The suppression.',
        schema: single(writtenSuppressionResponse),
        links: { deleteSuppression: { id: '$response.body#/data/id' } },
      },
    },
    errors: { 400: ['email is required', 'Invalid email address'] },
    async handle({ caller, body, call }, dependencies) {
      const input = { ...body, reason: body.reason ?? ('MANUAL' as const) }
      const { suppression, contactId } = await suppressByCall(dependencies, caller.workspace.id, input, call)
      const given = { ...body, email: body.email, reason: input.reason }
      const data = presentForWriter(caller, 'contacts:read', presentSuppression(suppression), given)
      return { status: 201, body: { data }, contactId: contactId ?? null }
    },
  }),

  operation({
    id: 'deleteSuppression',
    method: 'DELETE',
    path: '/suppressions/{id}',
    tag: 'Consent',
    summary: 'Delete a suppression',
    description:
      'The address can be emailed again, unless it is also suppressed for another reason. Delete a suppression only if the recipient asked ' +
      'for it. Enrollments that ended stay ended.',
    scope: 'contacts:write',
    responses: { 200: { description: 'The suppression was deleted.', schema: single(deleteResultResponse) } },
    errors: { 404: [SUPPRESSION_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      await deleteSuppressionById(em, caller.workspace.id, params.id)
      return deleted(params.id)
    },
  }),

  operation({
    id: 'listConsentChanges',
    method: 'GET',
    path: '/contacts/{id}/consent',
    params: { id: CONTACT_PARAM },
    tag: 'Consent',
    summary: "List the changes of a contact's consent",
    description:
      'Suppressions of the address, lists that the contact joined, left or has to confirm, and unsubscribes by a link. It is what is still ' +
      'stored: a suppression that was deleted is not in it, nor an earlier membership of a list.',
    scope: 'contacts:read',
    responses: { 200: { description: 'The changes.', schema: single(consentHistoryResponse) } },
    errors: { 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, params }, dependencies) {
      const em = dependencies.em.fork()
      const { id } = await getContact(em, caller.workspace.id, params.id)
      return ok((await consentHistory(em, caller.workspace.id, id)).map(presentConsentChange))
    },
  }),
]
