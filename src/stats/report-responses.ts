import { array, number, object, string, type InferType } from 'yup'
import { type Caller, count, id } from '../http/index.ts'
import { variantOf } from '../counters/index.ts'
import {
  daysResponse,
  MAX_LINKS,
  presentDays,
  presentLinks,
  presentResults,
  resultFields,
  resultsResponse,
} from '../messages/index.ts'
import { JUDGED_DAYS, presentReputation, reputationResponse } from '../reputation/index.ts'
import type { AutomationReport, DomainsReport, TemplateReport } from './reports.ts'

const ofLastDays = `Rates of the last ${JUDGED_DAYS} days that harm the reputation of the sender.`

/** `GET /automations/{id}/report`. */
export const automationReportResponse = object({
  automationId: id('automation'),
  total: resultsResponse,
  reputation: reputationResponse.meta({ description: `${ofLastDays} Empty if all are low.` }),
  steps: array()
    .of(
      object({ stepId: id('step'), ...resultFields })
        .required()
        .meta({ component: 'StepResults' }),
    )
    .required()
    .meta({ description: 'Emails that were sent, possibly of earlier versions.' }),
  days: daysResponse('By the day on which the emails were due.'),
  links: array()
    .of(
      object({
        stepId: id('step'),
        url: string().required().meta({ example: 'https://example.com/news' }),
        clicks: count('Emails in which a person clicked the link.', 12),
      }).required(),
    )
    .required()
    .meta({ description: `The links that were clicked in most emails, at most ${MAX_LINKS}.` }),
})
  .required()
  .meta({ component: 'AutomationReport', description: 'The results of the emails of an automation.' })

export const presentAutomationReport = (
  { automationId, total, recent, steps, days, links }: AutomationReport,
  caller: Caller,
): InferType<typeof automationReportResponse> => ({
  automationId,
  total: presentResults(total),
  reputation: presentReputation(recent),
  steps: steps.map(({ stepId, counts }) => ({ stepId, ...presentResults(counts) })),
  days: presentDays(days),
  links: presentLinks(links, caller),
})

/** The maximum number of uses in the report of a template. */
const MAX_USES = 100

/** `GET /templates/{id}/report`. */
export const templateReportResponse = object({
  templateId: id('template'),
  total: resultsResponse,
  uses: array()
    .of(
      object({
        campaignId: id('campaign').nullable().defined(),
        automationId: id('automation').nullable().defined(),
        stepId: id('step').nullable().defined(),
        variant: number().integer().nullable().defined().meta({
          description: 'The variant of a campaign with an A/B test. 0 is the campaign itself.',
          example: null,
        }),
        name: string().required().meta({ description: 'The name of the campaign or automation.', example: 'News' }),
        ...resultFields,
      })
        .required()
        .meta({ component: 'TemplateUse' }),
    )
    .required()
    .meta({ description: `The campaigns and current steps that use the template, the newest ${MAX_USES}.` }),
})
  .required()
  .meta({ component: 'TemplateReport', description: 'The results of the emails with a template.' })

export const presentTemplateReport = ({
  templateId,
  total,
  uses,
}: TemplateReport): InferType<typeof templateReportResponse> => ({
  templateId,
  total: presentResults(total),
  uses: uses.slice(0, MAX_USES).map(({ campaignId, automationId, stepId, name, counts }) => ({
    campaignId,
    automationId,
    stepId: campaignId === null ? stepId : null,
    variant: campaignId === null ? null : variantOf(stepId),
    name,
    ...presentResults(counts),
  })),
})

/** `GET /reports/domains`. */
export const domainsReportResponse = object({
  total: resultsResponse,
  reputation: reputationResponse,
  domains: array()
    .of(
      object({
        domain: string().required().meta({ example: 'gmail.com' }),
        ...resultFields,
        reputation: reputationResponse,
      })
        .required()
        .meta({ component: 'DomainResults' }),
    )
    .required()
    .meta({ description: 'The domains to which most emails were sent, the largest first.' }),
  others: resultsResponse.meta({ description: 'The sum of all domains that are not listed.' }),
  days: daysResponse('By the day on which the emails were sent.'),
})
  .required()
  .meta({ component: 'DomainsReport', description: 'The results of the emails to each receiving domain.' })

export const presentDomainsReport = ({
  total,
  domains,
  others,
  days,
}: DomainsReport): InferType<typeof domainsReportResponse> => ({
  total: presentResults(total),
  reputation: presentReputation(total),
  domains: domains.map(({ domain, counts }) => ({
    domain,
    ...presentResults(counts),
    reputation: presentReputation(counts),
  })),
  others: presentResults(others),
  days: presentDays(days),
})
