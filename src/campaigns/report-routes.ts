import { boolean, object } from 'yup'
import { ok, operation, single } from '../http/index.ts'
import { getCampaign } from './campaigns.ts'
import { CAMPAIGN_NOT_FOUND } from './errors.ts'
import { getCampaignDomains, getTimeline } from './recipient-results.ts'
import { getReport, verifyReport } from './report.ts'
import {
  domainsResponse,
  presentDomains,
  presentTimeline,
  reportResponse,
  timelineResponse,
} from './report-responses.ts'
import { campaignDomainsQuery } from './schemas.ts'

export const campaignReportOperations = [
  operation({
    id: 'verifyCampaignReport',
    method: 'POST',
    path: '/campaigns/verify-report',
    tag: 'Campaigns',
    summary: 'Verify a report',
    description:
      'Checks that this instance created the report and that it has not been changed since. Unknown fields are ignored.',
    scope: 'campaigns:read',
    changesNothing: true,
    body: reportResponse.meta({ open: true, component: 'CampaignReport' }),
    responses: {
      200: {
        description: 'Whether the report is valid.',
        schema: single(object({ isValid: boolean().required().meta({ example: true }) }).required()),
      },
    },
    async handle({ body }, { em }) {
      return { status: 200, body: { data: { isValid: await verifyReport(em, body) } } }
    },
  }),

  operation({
    id: 'getCampaignReport',
    method: 'GET',
    path: '/campaigns/{id}/report',
    tag: 'Campaigns',
    summary: 'Get the report of a campaign',
    description: 'A signed report of the results, with the reasons why messages were not sent.',
    scope: 'campaigns:read',
    responses: { 200: { description: 'The report.', schema: single(reportResponse) } },
    errors: { 404: [CAMPAIGN_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      return { status: 200, body: { data: await getReport(em, caller, params.id) } }
    },
  }),

  operation({
    id: 'getCampaignDomains',
    method: 'GET',
    path: '/campaigns/{id}/domains',
    tag: 'Campaigns',
    summary: 'Get the results of a campaign by domain',
    description:
      'The recipients by receiving domain: the largest domains, and the sum of the others. Reads every message of the campaign, so poll ' +
      'it less often than the report.',
    scope: 'campaigns:read',
    query: campaignDomainsQuery,
    responses: { 200: { description: 'The domains.', schema: single(domainsResponse) } },
    errors: { 404: [CAMPAIGN_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      const unit = em.fork()
      const { id } = await getCampaign(unit, caller.workspace.id, params.id)
      return ok(presentDomains(await getCampaignDomains(unit, id, query.limit)))
    },
  }),

  operation({
    id: 'getCampaignTimeline',
    method: 'GET',
    path: '/campaigns/{id}/timeline',
    tag: 'Campaigns',
    summary: 'Get the timeline of a campaign',
    description:
      'The emails sent in each of the last minutes, and the first opens and clicks in each hour since the start. Reads every message of ' +
      'the campaign, so poll it less often than the report.',
    scope: 'campaigns:read',
    responses: { 200: { description: 'The timeline.', schema: single(timelineResponse) } },
    errors: { 404: [CAMPAIGN_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const unit = em.fork()
      return ok(presentTimeline(await getTimeline(unit, await getCampaign(unit, caller.workspace.id, params.id))))
    },
  }),
]
