import { array, object, string } from 'yup'
import {
  atMost,
  cursorPage,
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
import { CONTACT_PARAM, CONTACT_NOT_FOUND, getContact } from '../contacts/index.ts'
import { readPublicUrl } from '../instance/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { SECRETS_KEY_MISSING } from '../platform/secrets-key.ts'
import { findProvider, PROVIDERS } from './providers/index.ts'
import { bouncePage } from './queries.ts'
import { FEEDBACK_SOURCE_NOT_FOUND } from './errors.ts'
import { bounceResponse, presentBounce, presentSource, sourceResponse } from './responses.ts'
import { deleteSource, listSources, setSource } from './sources.ts'
import { BOUNCE_KINDS } from './categories.ts'

/** `GET /bounces`. */
const bouncesQuery = cursorQuery({
  contactId: givenId(
    'Only bounces of this contact: its ID, `email:` and its address, or `external:` and its external ID.',
  ).optional(),
  kind: string().oneOf(BOUNCE_KINDS).meta({ description: 'Only bounces of this kind.', example: 'HARD' }),
})

const sourceInput = object({
  credential: filledText().required('credential is required').test(atMost(2_000)).meta({
    description: 'The credential that authenticates calls of the provider. See `credential` of GET /feedback-sources.',
    example: 'dripline:a long password of your own',
  }),
}).meta({ component: 'FeedbackSourceInput' })

const provider = { description: 'The provider.', example: 'postmark' }

/** Creates a function that returns the webhook URL of a provider. */
async function urlOf({ em, publicUrl }: ApiDependencies): Promise<(provider: string, workspaceId: string) => string> {
  const base = publicUrl ?? (await readPublicUrl(em.fork())) ?? ''
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
      'Newest first. HARD: the address cannot receive mail. SOFT: a temporary failure. BLOCKED: rejected because of the sender or ' +
      'the content. COMPLAINT: marked as spam. UNSUBSCRIBE: unsubscribed at a mail provider. All kinds except SOFT and BLOCKED ' +
      'suppress the address. So do five SOFT bounces in a row over three days, if the mailbox is full or inactive.',
    scope: 'contacts:read',
    query: bouncesQuery,
    responses: { 200: { description: 'A page of bounces.', schema: cursorListOf(bounceResponse) } },
    errors: { 400: ['cursor must be the nextCursor of a page of this list'], 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, query }, { em }) {
      const { contactId: given, kind, limit } = query
      const contactId = given === undefined ? undefined : await CONTACT_PARAM.resolve(em, caller, given)
      if (given !== undefined && contactId === undefined) throw new ApiError(CONTACT_NOT_FOUND, { param: '/contactId' })
      const search = { contactId, kind, behind: readCursor(query.cursor), limit: limit + 1 }
      const page = await bouncePage(em.fork(), caller.workspace.id, search)
      if (page.length === 0 && contactId !== undefined) await getContact(em, caller.workspace.id, contactId)
      return cursorPage(page, limit, presentBounce)
    },
  }),

  operation({
    id: 'listFeedbackSources',
    method: 'GET',
    path: '/feedback-sources',
    tag: 'Settings',
    summary: 'List feedback sources',
    description: 'The mail providers that can report bounces, with the webhook URL and the kind of credential of each.',
    role: 'viewer',
    responses: { 200: { description: 'All feedback sources.', schema: single(array().of(sourceResponse).required()) } },
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
    description: 'From now on, calls with this credential are accepted. It is stored encrypted with SECRETS_KEY.',
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
    id: 'deleteFeedbackSource',
    method: 'DELETE',
    path: '/feedback-sources/{provider}',
    tag: 'Settings',
    summary: 'Delete a feedback source',
    description: 'From now on, calls of the provider are rejected.',
    role: 'owner',
    params: { provider },
    responses: {
      200: {
        description: 'The deleted feedback source.',
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
      await deleteSource(em, caller.workspace.id, params.provider)
      return ok({ provider: params.provider, isSet: false })
    },
  }),
]
