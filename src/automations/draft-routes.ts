import { boolean, number, object, string, type InferType } from 'yup'
import { deleted, deleteResultResponse, etagOf, freeObject, operation, single, timestamp } from '../http/index.ts'
import { nameOf } from '../workspaces/index.ts'
import { discardDraft, getDraft, saveDraft } from './drafts.ts'
import type { AutomationDraft } from './entities.ts'
import { AUTOMATION_NOT_FOUND, DRAFT_NOT_FOUND } from './errors.ts'
import { STEPS_LIMIT } from './schemas.ts'

const basedOn = () =>
  number().integer().min(0).max(Number.MAX_SAFE_INTEGER).required().meta({
    description: 'The revision of the automation that the draft is based on: the number in its ETag.',
    example: 7,
  })

const draftInput = object({
  content: freeObject()
    .required()
    .meta({
      description: 'The data of the editor, such as incomplete steps.',
      example: { steps: [] },
    }),
  basedOn: basedOn(),
})

const savedFields = {
  basedOn: basedOn(),
  isStale: boolean()
    .required()
    .meta({ description: 'Whether the automation was changed after the draft was started.', example: false }),
  savedBy: string().required().meta({
    description: 'Who last saved the draft: an email address, or the name of a key.',
    example: 'ada@example.com',
  }),
  savedAt: timestamp('The time at which the draft was last saved.'),
}

const draftResponse = object({
  ...savedFields,
  content: freeObject()
    .required()
    .meta({ example: { steps: [] } }),
})
  .required()
  .meta({ component: 'Draft', description: 'Unpublished changes to an automation. They have no effect.' })

const savedDraftResponse = object(savedFields).required().meta({ component: 'SavedDraft' })

const presentSaved = ({
  draft,
  revision,
}: {
  draft: AutomationDraft
  revision: number
}): InferType<typeof savedDraftResponse> => ({
  basedOn: draft.basedOn,
  isStale: draft.basedOn !== revision,
  savedBy: draft.savedBy,
  savedAt: draft.savedAt.toISOString(),
})

export const draftOperations = [
  operation({
    id: 'getDraft',
    method: 'GET',
    path: '/automations/{id}/draft',
    tag: 'Automations',
    summary: 'Get the draft of an automation',
    description: 'Returns the unpublished changes. They have no effect.',
    scope: 'automations:read',
    // The response can be several megabytes.
    etag: true,
    responses: { 200: { description: 'The draft.', schema: single(draftResponse) } },
    errors: { 404: [AUTOMATION_NOT_FOUND, DRAFT_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const found = await getDraft(em, caller.workspace.id, params.id)
      const data = { ...presentSaved(found), content: found.draft.content }
      return { status: 200, headers: etagOf(found.draft.revision), body: { data } }
    },
  }),

  operation({
    id: 'saveDraft',
    audit: 'never',
    method: 'PUT',
    path: '/automations/{id}/draft',
    tag: 'Automations',
    summary: 'Save a draft of an automation',
    description:
      'Replaces the draft. With `If-Match: "0"`, creates one only if there is none. A draft is not validated, and has no effect.',
    scope: 'automations:write',
    orScope: 'drafts:write',
    etag: true,
    ifMatch: true,
    body: draftInput,
    bodyLimit: STEPS_LIMIT,
    responses: { 200: { description: 'The draft was saved.', schema: single(savedDraftResponse) } },
    errors: { 404: [AUTOMATION_NOT_FOUND] },
    async handle({ caller, params, body, ifMatch }, { em }) {
      const saved = await saveDraft(em, caller.workspace.id, params.id, { ...body, savedBy: nameOf(caller) }, ifMatch)
      return { status: 200, headers: etagOf(saved.draft.revision), body: { data: presentSaved(saved) } }
    },
  }),

  operation({
    id: 'discardDraft',
    method: 'DELETE',
    path: '/automations/{id}/draft',
    tag: 'Automations',
    summary: 'Discard the draft of an automation',
    description: 'Discards the draft permanently. The automation stays unchanged.',
    scope: 'automations:write',
    ifMatch: true,
    responses: { 200: { description: 'The draft was discarded.', schema: single(deleteResultResponse) } },
    errors: { 404: [AUTOMATION_NOT_FOUND, DRAFT_NOT_FOUND] },
    async handle({ caller, params, ifMatch }, { em }) {
      await discardDraft(em, caller.workspace.id, params.id, ifMatch)
      return deleted(params.id)
    },
  }),
]
