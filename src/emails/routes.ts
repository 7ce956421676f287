import { checkItems, cursorListOf, cursorPage, operation, readCursor, single, warn } from '../http/index.ts'
import { TEMPLATE_NOT_FOUND, VARIABLE_MISSING } from '../templates/index.ts'
import { cancelEmail } from './cancel-email.ts'
import { MAX_BATCH } from './email.ts'
import { EMAIL_NOT_CANCELLABLE, EMAIL_NOT_FOUND, FROM_NOT_ALLOWED } from './errors.ts'
import { getEmail, listEmails } from './get-email.ts'
import { queueBatch, queueEmail } from './queue-emails.ts'
import { batchResponse, emailResponse, listedEmailResponse, presentEmail, presentListed } from './responses.ts'
import { batchSchema, checkEmail, emailSchema, emailsQuery, toInput } from './schemas.ts'

/** 10 MB of attachments as base64, and the content. */
const EMAIL_BODY_LIMIT = { bytes: 15 * 1024 * 1024, values: 40_000 }

const INVALID = [
  'to is required',
  'to must be exactly one email address, such as ada@example.com',
  'subject is required, or a templateId',
  'attachments must not be larger than 10 MB in all',
  FROM_NOT_ALLOWED,
  VARIABLE_MISSING,
]

/** The maximum number of warnings about a batch. */
const MAX_WARNINGS = 10

export const emailOperations = [
  operation({
    id: 'sendEmail',
    method: 'POST',
    path: '/emails',
    tag: 'Emails',
    summary: 'Send an email',
    description:
      'Sends one transactional email to one address, with or without a contact, from a template or with its own content. It is sent at most ' +
      'once, and not to addresses that bounced or complained. Unsubscribes do not matter. Send an Idempotency-Key, so that a repeated request sends nothing twice.',
    scope: 'emails:send',
    // Files of many requests would be in memory at once.
    sharesTransaction: ({ attachments }) => attachments === undefined,
    audit: 'never',
    body: emailSchema,
    bodyLimit: EMAIL_BODY_LIMIT,
    responses: {
      202: {
        description: 'The email is stored and will be sent.',
        schema: single(emailResponse),
        links: { getEmail: { id: '$response.body#/data/id' } },
      },
    },
    errors: { 400: INVALID, 404: [TEMPLATE_NOT_FOUND] },
    async handle({ caller, body, call }, dependencies) {
      const { detail, warnings } = await queueEmail(dependencies, caller.workspace.id, toInput(body), call.id)
      return {
        status: 202,
        headers: warn(warnings),
        body: { data: presentEmail(detail) },
        contactId: detail.email.contactId,
      }
    },
  }),

  operation({
    id: 'sendEmails',
    method: 'POST',
    path: '/emails/batch',
    tag: 'Emails',
    summary: `Send up to ${MAX_BATCH} emails`,
    description: 'One email for each item, as in POST /emails. An invalid item does not affect the others.',
    scope: 'emails:send',
    audit: 'never',
    body: batchSchema,
    bodyLimit: { ...EMAIL_BODY_LIMIT, findsFaults: false },
    responses: { 202: { description: 'The result.', schema: single(batchResponse) } },
    errors: { 400: [`emails array must not exceed ${MAX_BATCH} items`, 'emails is required'] },
    prepare: ({ body }) => checkItems(body.emails as unknown[], checkEmail),
    async handle({ caller, prepared: { inputs, errors: invalid } }, dependencies) {
      const queued = await queueBatch(
        dependencies,
        caller.workspace.id,
        inputs.map(({ input }) => input),
      )
      const results = queued.map((result, at) => ({ index: inputs[at]!.index, ...result }))
      const emails = results.flatMap((result) => ('id' in result ? [{ index: result.index, id: result.id }] : []))
      const refused = results.flatMap((result) =>
        'error' in result ? [{ index: result.index, error: result.error }] : [],
      )
      const errors = [...invalid, ...refused].toSorted((a, b) => a.index - b.index)
      const warnings = results.flatMap((result) =>
        'id' in result ? result.warnings.map((warning) => `/emails/${result.index}${warning}`) : [],
      )
      return {
        status: 202,
        headers: warn(warnings.slice(0, MAX_WARNINGS)),
        body: { data: { accepted: emails.length, failed: errors.length, emails, errors } },
      }
    },
  }),

  operation({
    id: 'listEmails',
    method: 'GET',
    path: '/emails',
    tag: 'Emails',
    summary: 'List emails',
    description: 'Transactional emails, newest first, without their events.',
    scope: 'emails:send',
    query: emailsQuery,
    responses: { 200: { description: 'A page of emails.', schema: cursorListOf(listedEmailResponse) } },
    errors: { 400: ['cursor must be the nextCursor of a page of this list'] },
    async handle({ caller, query: { tag, cursor, limit } }, { em }) {
      const search = { tag, behind: readCursor(cursor), limit: limit + 1 }
      return cursorPage(await listEmails(em.fork(), caller.workspace.id, search), limit, presentListed)
    },
  }),

  operation({
    id: 'getEmail',
    method: 'GET',
    path: '/emails/{id}',
    tag: 'Emails',
    summary: 'Get an email',
    description: 'The email and what happened to it.',
    scope: 'emails:send',
    responses: { 200: { description: 'The email.', schema: single(emailResponse) } },
    errors: { 404: [EMAIL_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      return { status: 200, body: { data: presentEmail(await getEmail(em.fork(), caller.workspace.id, params.id)) } }
    },
  }),

  operation({
    id: 'cancelEmail',
    method: 'POST',
    path: '/emails/{id}/cancel',
    tag: 'Emails',
    summary: 'Cancel an email',
    description:
      'An email that was not sent yet, such as a scheduled one, is not sent. Cancelling it again changes nothing.',
    scope: 'emails:send',
    responses: { 200: { description: 'The cancelled email.', schema: single(emailResponse) } },
    errors: { 404: [EMAIL_NOT_FOUND], 409: [EMAIL_NOT_CANCELLABLE] },
    async handle({ caller, params }, dependencies) {
      const detail = await cancelEmail(dependencies, caller.workspace.id, params.id)
      return { status: 200, body: { data: presentEmail(detail) }, contactId: detail.email.contactId }
    },
  }),
]
