import { array, object, string, type InferType } from 'yup'
import { CONTACT_NOT_FOUND } from '../contacts/index.ts'
import {
  type ApiDependencies,
  missingRole,
  atMost,
  boundedObject,
  filledText,
  givenId,
  operation,
  single,
  text,
  ok,
  nullableText,
  type Visitor,
} from '../http/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH } from '../rendering/index.ts'
import type { Caller } from '../workspaces/index.ts'
import { limitTestEmails, TOO_MANY_TEST_EMAILS } from '../accounts/index.ts'
import { withRenderErrors } from './with-render-errors.ts'
import { recipientOf, renderFor, presentUnknownVariables } from './preview.ts'
import { INVALID_TEMPLATE } from './errors.ts'
import { previewCategory } from './schemas.ts'
import { MAX_EVENT_NAME_LENGTH } from '../triggers/index.ts'

const template = (description: string, most: number) => text().nullable().test(atMost(most)).meta({ description })

const previewInput = object({
  subject: template('The subject, a Liquid template.', MAX_SUBJECT_LENGTH).meta({
    example: 'Welcome, {{ contact.firstName | default: "friend" }}!',
  }),
  html: template('Its HTML, a Liquid template.', MAX_BODY_LENGTH),
  text: template('Its text, a Liquid template.', MAX_BODY_LENGTH),
  category: previewCategory(),
  contactId: givenId(
    'The contact to preview for: an ID, `email:` and an address, or `external:` and an externalId. The default is a sample contact.',
  ),
  event: object({
    name: filledText().required().test(atMost(MAX_EVENT_NAME_LENGTH)),
    data: boundedObject(64 * 1024),
  })
    .default(undefined)
    .meta({
      description: 'The event that the preview assumes as the trigger.',
      example: { name: 'trial.started', data: {} },
    }),
})

const field = () =>
  string()
    .oneOf(['subject', 'html', 'text'] as const)
    .required()

const previewResponse = object({
  to: string().required().meta({ example: 'ada@example.com' }),
  subject: nullableText('Null if it cannot be rendered.', 'Welcome, Ada!'),
  html: string().nullable().defined().meta({ example: null }),
  text: string().nullable().defined().meta({ example: 'Good to have you here.' }),
  problems: array()
    .of(object({ field: field(), problem: string().required() }).required())
    .required()
    .meta({ description: 'The problems. Empty if the email can be rendered.', example: [] }),
  unknownVariables: array()
    .of(object({ field: field(), variable: string().required(), nearest: string().nullable().defined() }).required())
    .required()
    .meta({
      description: 'Variables that are never set, each with the known one that it resembles.',
      example: [],
    }),
})
  .required()
  .meta({ component: 'Preview', description: 'A rendered email.' })

export const testEmailResponse = object({
  to: string().required().meta({ description: 'The email address of the member.', example: 'ada@example.com' }),
  status: string()
    .oneOf(['SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED'] as const)
    .required()
    .meta({ description: 'CAPTURED: stored instead of sent, because mail is captured.', example: 'SENT' }),
  error: nullableText('The response of the mail server, if it failed.'),
})
  .required()
  .meta({ component: 'TestEmail' })

const PREVIEW_LIMIT = { bytes: 2 * 1024 * 1024, values: 10_000 }

/** Renders the email of a request for its contact. @throws {ApiError} `contact_not_found`; `busy` */
async function previewFor(
  request: { caller: Caller; visitor: Visitor },
  { subject, html = null, text: plain = null, category, contactId, event }: InferType<typeof previewInput>,
  { renderer, ...dependencies }: Pick<ApiDependencies, 'em' | 'publicUrl' | 'renderer'>,
): Promise<InferType<typeof previewResponse>> {
  const previewed = await recipientOf(dependencies, request, { contactId, category })
  const content = { subject: subject ?? '', html, text: plain }
  const owner = request.caller.workspace.id
  const { problems, unknownVariables } = await withRenderErrors(renderer.check(content, { owner }))
  const found = { to: previewed.contact.email, unknownVariables: presentUnknownVariables(unknownVariables) }
  const nothing = { subject: null, html: null, text: null }
  if (problems.length > 0) return { ...found, ...nothing, problems }
  const rendered = await renderFor(renderer, owner, content, { ...previewed, event })
  return 'problem' in rendered
    ? { ...found, ...nothing, problems: [rendered] }
    : { ...found, ...rendered, problems: [] }
}

/** Sends a test email from the sender of the workspace. */
export async function sendTest(
  { sendTestEmail }: Pick<ApiDependencies, 'sendTestEmail'>,
  { workspace: { id, mode } }: Caller,
  email: Parameters<ApiDependencies['sendTestEmail']>[0],
): Promise<InferType<typeof testEmailResponse>> {
  return { to: email.to, ...(await sendTestEmail(email, { id, isLive: mode === 'live' })) }
}

export const previewOperations = [
  operation({
    id: 'previewEmail',
    method: 'POST',
    path: '/emails/preview',
    tag: 'Templates',
    summary: 'Preview an email',
    description: 'Renders an email as it would be sent to a contact now. Nothing is sent or stored.',
    scope: 'contacts:read',
    changesNothing: true,
    body: previewInput,
    bodyLimit: PREVIEW_LIMIT,
    responses: { 200: { description: 'The email, or its problems.', schema: single(previewResponse) } },
    errors: { 404: [CONTACT_NOT_FOUND] },
    handle: async (request, dependencies) => ok(await previewFor(request, request.body, dependencies)),
  }),

  operation({
    id: 'sendTestEmail',
    method: 'POST',
    path: '/emails/test',
    tag: 'Templates',
    summary: 'Send a test email to yourself',
    description:
      'Sends the email, rendered for a contact, once to the person who sent the request. It does not appear in the delivery log. If ' +
      'mail is captured, it is not delivered.',
    role: 'editor',
    transactional: false,
    body: previewInput,
    bodyLimit: PREVIEW_LIMIT,
    responses: { 200: { description: 'The result.', schema: single(testEmailResponse) } },
    errors: { 400: [INVALID_TEMPLATE], 404: [CONTACT_NOT_FOUND], 429: [TOO_MANY_TEST_EMAILS] },
    async handle(request, dependencies) {
      const { caller, body } = request
      const { by } = caller
      if (by.kind !== 'person') throw new ApiError(missingRole('editor'))
      await limitTestEmails(dependencies.em, by.person.accountId)
      const { subject, html, text: plain, problems } = await previewFor(request, body, dependencies)
      const [problem] = problems
      if (problem) throw new ApiError(INVALID_TEMPLATE, { message: problem.problem, param: `/${problem.field}` })
      const email = { to: by.person.email, subject: `[Test] ${subject}`, html, text: plain }
      return ok(await sendTest(dependencies, caller, email))
    },
  }),
]
