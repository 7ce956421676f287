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
} from '../http/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH } from '../rendering/index.ts'
import type { Caller } from '../workspaces/index.ts'
import { limitTestEmails, TOO_MANY_TEST_EMAILS } from '../accounts/index.ts'
import { withRenderErrors } from './with-render-errors.ts'
import { recipientOf, renderFor, toldOf } from './preview.ts'
import { INVALID_TEMPLATE } from './errors.ts'
import { MAX_EVENT_NAME_LENGTH } from '../triggers/index.ts'

const template = (description: string, most: number) => text().nullable().test(atMost(most)).meta({ description })

const previewInput = object({
  subject: template('The subject, a Liquid template.', MAX_SUBJECT_LENGTH).meta({
    example: 'Welcome, {{ contact.firstName }}!',
  }),
  html: template('Its HTML, a Liquid template.', MAX_BODY_LENGTH),
  text: template('Its text, a Liquid template.', MAX_BODY_LENGTH),
  contactId: givenId(
    'For whom: an id, `email:` and an address, or `external:` and an externalId. Without it, for somebody made up.',
  ),
  event: object({
    name: filledText().required().test(atMost(MAX_EVENT_NAME_LENGTH)),
    data: boundedObject(64 * 1024),
  })
    .default(undefined)
    .meta({ description: 'As if this event had started the sequence.', example: { name: 'trial.started', data: {} } }),
})

const field = () =>
  string()
    .oneOf(['subject', 'html', 'text'] as const)
    .required()

const previewResponse = object({
  to: string().required().meta({ example: 'ada@example.com' }),
  subject: nullableText('Null where it cannot be rendered.', 'Welcome, Ada!'),
  html: string().nullable().defined().meta({ example: null }),
  text: string().nullable().defined().meta({ example: 'Good to have you here.' }),
  problems: array()
    .of(object({ field: field(), problem: string().required() }).required())
    .required()
    .meta({ description: 'Why it cannot be rendered; empty where it can.', example: [] }),
  unknownVariables: array()
    .of(object({ field: field(), variable: string().required(), nearest: string().nullable().defined() }).required())
    .required()
    .meta({
      description: 'Variables that no email has a value for, each with the known one that it resembles.',
      example: [],
    }),
})
  .required()
  .meta({ component: 'Preview', description: 'An email as it would be sent.' })

const testEmailResponse = object({
  to: string().required().meta({ description: 'Who asked for it.', example: 'ada@example.com' }),
  status: string()
    .oneOf(['SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED'] as const)
    .required()
    .meta({ description: 'CAPTURED: it was not delivered, as no mail is here.', example: 'SENT' }),
  error: nullableText('Why, in the server’s words.'),
})
  .required()
  .meta({ component: 'TestEmail' })

const PREVIEW_LIMIT = { bytes: 2 * 1024 * 1024, values: 10_000 }

/** The email that a body has, for whom it names. @throws {ApiError} `contact_not_found`; `busy` */
async function previewFor(
  caller: Caller,
  { subject, html = null, text: plain = null, contactId, event }: InferType<typeof previewInput>,
  { em, renderer }: Pick<ApiDependencies, 'em' | 'renderer'>,
): Promise<InferType<typeof previewResponse>> {
  const contact = await recipientOf(em, caller, contactId)
  const content = { subject: subject ?? '', html, text: plain }
  const owner = caller.workspace.id
  const { problems, unknownVariables } = await withRenderErrors(renderer.check(content, { owner }))
  const found = { to: contact.email, unknownVariables: toldOf(unknownVariables) }
  const nothing = { subject: null, html: null, text: null }
  if (problems.length > 0) return { ...found, ...nothing, problems }
  const rendered = await renderFor(renderer, owner, content, { contact, event })
  return 'problem' in rendered
    ? { ...found, ...nothing, problems: [rendered] }
    : { ...found, ...rendered, problems: [] }
}

export const previewOperations = [
  operation({
    id: 'previewEmail',
    method: 'POST',
    path: '/emails/preview',
    tag: 'Templates',
    summary: 'Preview an email',
    description: 'As it would be sent to a contact at this moment. Nothing is sent, and nothing kept.',
    scope: 'contacts:read',
    changesNothing: true,
    body: previewInput,
    bodyLimit: PREVIEW_LIMIT,
    responses: { 200: { description: 'The email, or why there is none.', schema: single(previewResponse) } },
    errors: { 404: [CONTACT_NOT_FOUND] },
    handle: async ({ caller, body }, dependencies) => ok(await previewFor(caller, body, dependencies)),
  }),

  operation({
    id: 'sendTestEmail',
    method: 'POST',
    path: '/emails/test',
    tag: 'Templates',
    summary: 'Send yourself an email',
    description:
      'As it would be sent to a contact at this moment, to whoever asks for it, once and without a place in the ledger. Where mail is ' +
      'captured, it is not delivered either.',
    role: 'editor',
    transactional: false,
    body: previewInput,
    bodyLimit: PREVIEW_LIMIT,
    responses: { 200: { description: 'What became of it.', schema: single(testEmailResponse) } },
    errors: { 400: [INVALID_TEMPLATE], 404: [CONTACT_NOT_FOUND], 429: [TOO_MANY_TEST_EMAILS] },
    async handle({ caller, body }, { em, renderer, sendTestEmail }) {
      const { by } = caller
      if (by.kind !== 'person') throw new ApiError(missingRole('editor'))
      await limitTestEmails(em, by.person.accountId)
      const { subject, html, text: plain, problems } = await previewFor(caller, body, { em, renderer })
      const [problem] = problems
      if (problem) throw new ApiError(INVALID_TEMPLATE, { message: problem.problem, param: `/${problem.field}` })
      const email = { to: by.person.email, subject: `[Test] ${subject}`, html, text: plain }
      const data = await sendTestEmail(email, { id: caller.workspace.id, isLive: caller.workspace.mode === 'live' })
      return ok({ to: email.to, ...data })
    },
  }),
]
