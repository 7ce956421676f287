import { array } from 'yup'
import { LIST_NOT_FOUND } from '../lists/index.ts'
import { SEGMENT_NOT_FOUND } from '../segments/index.ts'
import {
  deleted,
  deleteResultResponse,
  etagOf,
  pageResponse,
  type Caller,
  listOf,
  nothingToUpdate,
  ok,
  operation,
  presentForWriter,
  rangeOf,
  single,
  warn,
} from '../http/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { isId } from '../platform/ids.ts'
import { assertCampaignVariables } from './check-variables.ts'
import type { Call } from '../platform/call.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { INVALID_TEMPLATE, TEMPLATE_LIMIT, TEMPLATE_NOT_FOUND, VARIABLE_MISSING } from '../templates/index.ts'
import { countAudience } from './audience.ts'
import { createCampaign, deleteCampaign, duplicateCampaign, getCampaign, updateCampaign } from './campaigns.ts'
import type { Counts } from './counts.ts'
import type { Campaign } from './entities.ts'
import { countsByVariant, countsOfCampaigns } from './counts-queries.ts'
import { cancelCampaign, pauseCampaign, resumeCampaign, scheduleCampaign } from './lifecycle.ts'
import { prepareChange, prepareContent } from './prepare.ts'
import { campaignPage } from './queries.ts'
import { campaignReportOperations } from './report-routes.ts'
import {
  CAMPAIGN_INCOMPLETE,
  CAMPAIGN_NOT_FOUND,
  CAMPAIGN_STATUS_WRONG,
  AUDIENCE_EMPTY,
  TIME_IN_PAST,
} from './errors.ts'
import { findContentOfDeletedTemplate, listVariantSummaries } from './contents-queries.ts'
import {
  campaignsQuery,
  countSchema,
  createCampaignSchema,
  SCHEDULE_TIME_MISSING,
  scheduleSchema,
  updateCampaignSchema,
} from './schemas.ts'
import {
  audienceCountResponse,
  campaignResponse,
  writtenCampaignResponse,
  campaignSummaryResponse,
  presentCampaign,
  presentSummary,
  resultsOf,
} from './responses.ts'

const NOTHING_TO_UPDATE = nothingToUpdate(Object.keys(updateCampaignSchema.fields))

const links = (id: string) => ({
  getCampaign: { id },
  updateCampaign: { id },
  scheduleCampaign: { id },
  deleteCampaign: { id },
})

/** Presents a campaign with its numbers. */
async function present(em: EntityManager, campaign: Campaign) {
  const counts = await countsOfCampaigns(em, [campaign.id])
  const results = resultsOf(campaign.recipientCount, counts.get(campaign.id))
  const byVariant = campaign.abTest ? await countsByVariant(em, campaign.id) : new Map<number, Counts>()
  const subjects = (await listVariantSummaries(em, campaign.id)).map((head) => head?.subject)
  const gone = campaign.templateId == null ? undefined : await findContentOfDeletedTemplate(em, campaign.id)
  return presentCampaign(campaign, results, byVariant, { subjects, gone })
}

/** The response to a write. @param given the fields of the request */
async function written(
  em: EntityManager,
  caller: Caller,
  campaign: Campaign,
  given: object,
  { status = 200, warnings = [] }: { status?: number; warnings?: readonly string[] } = {},
) {
  const data = presentForWriter(caller, 'campaigns:read', await present(em, campaign), given)
  return { status, headers: { ...warn([...warnings]), ...etagOf(campaign.revision) }, body: { data } }
}

const whole = {
  description: 'The campaign.',
  schema: single(campaignResponse),
  links: links('$response.body#/data/id'),
}
const changed = { ...whole, schema: single(writtenCampaignResponse) }

/** Defines an operation that pauses, resumes or cancels a campaign. */
const move = (
  id: string,
  verb: 'pause' | 'resume' | 'cancel',
  words: { summary: string; description: string },
  change: (dependencies: Dependencies, workspaceId: string, id: string, call: Call) => Promise<Campaign>,
) =>
  operation({
    id,
    method: 'POST',
    path: `/campaigns/{id}/${verb}`,
    tag: 'Campaigns',
    ...words,
    scope: 'campaigns:write',
    etag: true,
    responses: { 200: changed },
    errors: {
      404: [CAMPAIGN_NOT_FOUND, ...(verb === 'resume' ? [LIST_NOT_FOUND, SEGMENT_NOT_FOUND] : [])],
      409: [CAMPAIGN_STATUS_WRONG],
    },
    async handle({ caller, params, call }, dependencies) {
      const campaign = await change(dependencies, caller.workspace.id, params.id, call)
      return written(dependencies.em, caller, campaign, {})
    },
  })

export const campaignOperations = [
  operation({
    id: 'listCampaigns',
    method: 'GET',
    path: '/campaigns',
    tag: 'Campaigns',
    summary: 'List campaigns',
    description: 'Newest first, with their stats.',
    scope: 'campaigns:read',
    query: campaignsQuery,
    responses: {
      200: { description: 'A page of campaigns.', schema: listOf(array().of(campaignSummaryResponse).required()) },
    },
    async handle({ caller, query }, { em }) {
      const page = { status: query.status, ...rangeOf(query) }
      const [campaigns, total] = await campaignPage(em.fork(), caller.workspace.id, page)
      const items = campaigns.map((campaign) =>
        presentSummary(campaign, resultsOf(campaign.recipientCount, campaign.counts)),
      )
      return pageResponse(items, query, total)
    },
  }),

  operation({
    id: 'createCampaign',
    method: 'POST',
    path: '/campaigns',
    tag: 'Campaigns',
    summary: 'Create a campaign',
    description: 'Creates a DRAFT. Schedule it to send it. The content is compiled immediately, like a template.',
    scope: 'campaigns:write',
    orScope: 'drafts:write',
    body: createCampaignSchema,
    bodyLimit: TEMPLATE_LIMIT,
    etag: true,
    responses: { 201: changed },
    errors: {
      400: ['name is required', INVALID_TEMPLATE],
      404: [TEMPLATE_NOT_FOUND, LIST_NOT_FOUND, SEGMENT_NOT_FOUND],
    },
    prepare: ({ caller, body }, dependencies) => prepareContent(dependencies, caller.workspace.id, body),
    async handle({ caller, body, call, prepared }, { em }) {
      const campaign = await createCampaign(em, caller.workspace.id, body, prepared, call.id)
      return written(em, caller, campaign, body, { status: 201, warnings: prepared.warnings })
    },
  }),

  operation({
    id: 'countAudience',
    method: 'POST',
    path: '/campaigns/count',
    tag: 'Campaigns',
    summary: 'Count an audience',
    description:
      'The number of contacts who would get the email at this moment, and why others of the audience would not.',
    scope: 'campaigns:read',
    changesNothing: true,
    body: countSchema,
    responses: {
      200: {
        description: 'How many.',
        schema: single(audienceCountResponse),
      },
    },
    errors: { 404: [LIST_NOT_FOUND, SEGMENT_NOT_FOUND] },
    async handle({ caller, body }, { em }) {
      return { status: 200, body: { data: await countAudience(em, caller.workspace.id, body) } }
    },
  }),

  operation({
    id: 'getCampaign',
    method: 'GET',
    path: '/campaigns/{id}',
    tag: 'Campaigns',
    summary: 'Get a campaign',
    description: 'Returns the campaign with its stats.',
    scope: 'campaigns:read',
    etag: true,
    responses: { 200: whole },
    errors: { 404: [CAMPAIGN_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const campaign = await getCampaign(em, caller.workspace.id, params.id)
      return { ...ok(await present(em.fork(), campaign)), headers: etagOf(campaign.revision) }
    },
  }),

  operation({
    id: 'updateCampaign',
    method: 'PATCH',
    path: '/campaigns/{id}',
    tag: 'Campaigns',
    summary: 'Change a campaign',
    description:
      'Only a DRAFT can be changed. The content is replaced as a whole: pass every content field that should stay.',
    scope: 'campaigns:write',
    orScope: 'drafts:write',
    body: updateCampaignSchema,
    bodyLimit: TEMPLATE_LIMIT,
    etag: true,
    ifMatch: true,
    responses: { 200: changed },
    errors: {
      400: [NOTHING_TO_UPDATE, INVALID_TEMPLATE],
      404: [CAMPAIGN_NOT_FOUND, TEMPLATE_NOT_FOUND, LIST_NOT_FOUND, SEGMENT_NOT_FOUND],
      409: [CAMPAIGN_STATUS_WRONG],
    },
    async prepare({ caller, params, body }, dependencies) {
      const campaign = await getCampaign(dependencies.em, caller.workspace.id, params.id)
      return prepareChange(dependencies, caller.workspace.id, body, campaign)
    },
    async handle({ caller, params, body, prepared, ifMatch }, { em }) {
      if (Object.keys(body).length === 0) throw new ApiError(NOTHING_TO_UPDATE)
      const campaign = await updateCampaign(em, caller.workspace.id, params.id, body, prepared, ifMatch)
      return written(em, caller, campaign, body, { warnings: prepared.warnings })
    },
  }),

  operation({
    id: 'duplicateCampaign',
    method: 'POST',
    path: '/campaigns/{id}/duplicate',
    tag: 'Campaigns',
    summary: 'Duplicate a campaign',
    description:
      'Creates a DRAFT with the same content, A/B test, audience and limits as a campaign in any status. Its name begins with "Copy of".',
    scope: 'campaigns:write',
    etag: true,
    responses: { 201: changed },
    errors: { 404: [CAMPAIGN_NOT_FOUND] },
    async handle({ caller, params, call }, { em }) {
      const copy = await duplicateCampaign(em, caller.workspace.id, params.id, call.id)
      return written(em, caller, copy, {}, { status: 201 })
    },
  }),

  operation({
    id: 'deleteCampaign',
    method: 'DELETE',
    path: '/campaigns/{id}',
    tag: 'Campaigns',
    summary: 'Delete a campaign',
    description:
      'Deletes the campaign permanently, if it no longer sends anything. Messages that it sent stay with their contacts.',
    scope: 'campaigns:write',
    responses: { 200: { description: 'The campaign is deleted.', schema: single(deleteResultResponse) } },
    errors: { 404: [CAMPAIGN_NOT_FOUND], 409: [CAMPAIGN_STATUS_WRONG] },
    async handle({ caller, params }, { em }) {
      await deleteCampaign(em, caller.workspace.id, params.id)
      return deleted(params.id)
    },
  }),

  operation({
    id: 'scheduleCampaign',
    method: 'POST',
    path: '/campaigns/{id}/schedule',
    tag: 'Campaigns',
    summary: 'Send a campaign',
    description:
      'Sends immediately, at a given time, or at a local time of each contact. The recipients are determined when it starts. Each contact gets ' +
      'one email, unless they unsubscribed before it is sent.',
    scope: 'campaigns:write',
    body: scheduleSchema,
    bodyOptional: true,
    etag: true,
    ifMatch: true,
    responses: { 202: changed },
    errors: {
      400: [
        'Send either at or localTime',
        SCHEDULE_TIME_MISSING,
        CAMPAIGN_INCOMPLETE,
        VARIABLE_MISSING,
        AUDIENCE_EMPTY,
        TIME_IN_PAST,
      ],
      404: [CAMPAIGN_NOT_FOUND, LIST_NOT_FOUND, SEGMENT_NOT_FOUND],
      409: [CAMPAIGN_STATUS_WRONG],
    },
    async prepare({ caller, params }, dependencies) {
      if (isId(params.id)) await assertCampaignVariables(dependencies, caller.workspace.id, params.id)
    },
    async handle({ caller, params, body, call, ifMatch }, dependencies) {
      const scheduled = await scheduleCampaign(dependencies, caller.workspace.id, params.id, body, call, ifMatch)
      return written(dependencies.em, caller, scheduled, body, { status: 202 })
    },
  }),

  move(
    'pauseCampaign',
    'pause',
    {
      summary: 'Pause a campaign',
      description:
        'No email of the campaign starts after the response. The request waits a few seconds for emails in flight.',
    },
    pauseCampaign,
  ),
  move(
    'resumeCampaign',
    'resume',
    { summary: 'Resume a campaign', description: 'Continues with the recipients who have not been mailed yet.' },
    resumeCampaign,
  ),
  move(
    'cancelCampaign',
    'cancel',
    {
      summary: 'Cancel or unschedule a campaign',
      description:
        'Recipients who have not been mailed yet get nothing. A campaign that has not started is unscheduled: it becomes a DRAFT again.',
    },
    cancelCampaign,
  ),

  ...campaignReportOperations,
]
