import { array, object, string } from 'yup'
import {
  atMost,
  cursorAnswer,
  cursorListOf,
  cursorQuery,
  filledText,
  givenId,
  operation,
  readCursor,
  single,
  type ApiDependencies,
  ok,
} from '../http/index.ts'
import { CONTACT, CONTACT_NOT_FOUND, getContact } from '../contacts/index.ts'
import { readPublicUrl } from '../instance/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { SECRETS_KEY_MISSING } from '../senders/index.ts'
import { findProvider, PROVIDERS } from './providers/index.ts'
import { bouncePage } from './queries.ts'
import { FEEDBACK_SOURCE_NOT_FOUND } from './errors.ts'
import { bounceResponse, presentBounce, presentSource, sourceResponse } from './responses.ts'
import { dropSource, listSources, setSource } from './sources.ts'
import { BOUNCE_KINDS } from './verdict.ts'

/** `GET /bounces`. */
const bouncesQuery = cursorQuery({
  contactId: givenId(
    'Only those of this contact: its id, `email:` and its address, or `external:` and its externalId.',
  ).optional(),
  kind: string().oneOf(BOUNCE_KINDS).meta({ description: 'Only those of this kind.', example: 'HARD' }),
})

const sourceInput = object({
  credential: filledText().required('credential is required').test(atMost(2_000)).meta({
    description: 'What proves that a call is the provider’s: see `credential` of GET /feedback-sources.',
    example: 'dripline:a long password of your own',
  }),
}).meta({ component: 'FeedbackSourceInput' })

const provider = { description: 'The provider.', example: 'postmark' }

/** Where a provider of a workspace calls. */
async function urlOf({ em, publicUrl }: ApiDependencies): Promise<(provider: string, workspaceId: string) => string> {
  const base = (publicUrl ?? (await readPublicUrl(em.fork())) ?? '').replace(/\/+$/, '')
  return (name, workspaceId) => `${base}/feedback/${name}/${workspaceId}`
}

export const bounceOperations = [
  operation({
    id: 'listBounces',
    method: 'GET',
    path: '/bounces',
    tag: 'Consent',
    summary: 'List bounces',
    description:
      'What came back of emails, the newest first. HARD: there is no such mailbox; SOFT: given up this time, of which five in a row are as ' +
      'good as HARD; BLOCKED: refused for what it says or where it comes from; COMPLAINT: called spam; UNSUBSCRIBE: unsubscribed at a ' +
      'mail provider. All but SOFT and BLOCKED suppress the address.',
    scope: 'contacts:read',
    query: bouncesQuery,
    responses: { 200: { description: 'A page of bounces.', schema: cursorListOf(bounceResponse) } },
    errors: { 400: ['cursor must be the nextCursor of a page of this list'], 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, query }, { em }) {
      const { contactId: given, kind, limit } = query
      const contactId = given === undefined ? undefined : await CONTACT.resolve(em, caller, given)
      if (given !== undefined && contactId === undefined) throw new ApiError(CONTACT_NOT_FOUND, { param: '/contactId' })
      const search = { contactId, kind, behind: readCursor(query.cursor), limit: limit + 1 }
      const page = await bouncePage(em.fork(), caller.workspace.id, search)
      if (page.length === 0 && contactId !== undefined) await getContact(em, caller.workspace.id, contactId)
      return cursorAnswer(page, limit, presentBounce)
    },
  }),

  operation({
    id: 'listFeedbackSources',
    method: 'GET',
    path: '/feedback-sources',
    tag: 'Settings',
    summary: 'List feedback sources',
    description: 'The mail providers that may tell what came back, where each has to call, and what proves its calls.',
    role: 'viewer',
    responses: { 200: { description: 'All there are.', schema: single(array().of(sourceResponse).required()) } },
    async handle({ caller }, dependencies) {
      const sources = await listSources(dependencies.em, caller.workspace.id)
      const url = await urlOf(dependencies)
      const data = PROVIDERS.map((one) =>
        presentSource(
          one,
          sources.find(({ provider }) => provider === one.name),
          url(one.name, caller.workspace.id),
        ),
      )
      return ok(data)
    },
  }),

  operation({
    id: 'setFeedbackSource',
    method: 'PUT',
    path: '/feedback-sources/{provider}',
    tag: 'Settings',
    summary: 'Set a feedback source',
    description: 'From now on its calls are heard that prove themselves so. It is kept encrypted under SECRETS_KEY.',
    role: 'owner',
    params: { provider },
    body: sourceInput,
    responses: { 200: { description: 'The feedback source.', schema: single(sourceResponse) } },
    errors: {
      400: ['credential is what its provider has not'],
      404: [FEEDBACK_SOURCE_NOT_FOUND],
      409: [SECRETS_KEY_MISSING],
    },
    async handle({ caller, params, body }, dependencies) {
      const { em, secrets } = dependencies
      const source = await setSource(em, secrets, caller.workspace.id, { ...params, ...body })
      const url = (await urlOf(dependencies))(source.provider, caller.workspace.id)
      return ok(presentSource(findProvider(source.provider)!, source, url))
    },
  }),

  operation({
    id: 'dropFeedbackSource',
    method: 'DELETE',
    path: '/feedback-sources/{provider}',
    tag: 'Settings',
    summary: 'Drop a feedback source',
    description: 'Its calls are heard no more.',
    role: 'owner',
    params: { provider },
    responses: {
      200: {
        description: 'It is dropped.',
        schema: single(
          object({
            provider: string().required().meta({ example: 'postmark' }),
            isSet: sourceResponse.fields.isSet,
          }).required(),
        ),
      },
    },
    errors: { 404: [FEEDBACK_SOURCE_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      await dropSource(em, caller.workspace.id, params.provider)
      return ok({ provider: params.provider, isSet: false })
    },
  }),
]
