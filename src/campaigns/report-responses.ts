import { array, number, object, string, type InferType } from 'yup'
import { count, id, timestamp } from '../http/index.ts'
import {
  daysResponse,
  MAX_LINKS,
  MESSAGE_STATUSES,
  presentResults,
  type ResultCounts,
  resultFields,
  resultsResponse,
} from '../messages/index.ts'
import { reputationResponse } from '../reputation/index.ts'
import { CAMPAIGN_STATUSES } from './campaign.ts'
import { type CampaignDomains, type CampaignTimeline, TIMELINE_HOURS, TIMELINE_MINUTES } from './recipient-results.ts'
import { lower, statsResponse } from './responses.ts'

/** `GET /campaigns/{id}/report`. */
export const reportResponse = object({
  campaignId: id('campaign'),
  status: string().oneOf(CAMPAIGN_STATUSES).required().meta({ example: 'SENT' }),
  stats: statsResponse,
  reasons: array()
    .of(
      object({
        status: string().oneOf(MESSAGE_STATUSES).required().meta({ example: 'SUPPRESSED' }),
        // No data of erased contacts is kept.
        reason: string().defined().meta({ example: 'The contact has unsubscribed' }),
        count: count('Number of messages.', 3),
      }).required(),
    )
    .required()
    .meta({ description: 'Why messages were not sent. GET /messages lists them by campaign and status.' }),
  results: resultsResponse,
  reputation: reputationResponse,
  variants: array()
    .of(
      object({
        variant: number().integer().min(0).required().meta({ description: '0 is the campaign itself.', example: 0 }),
        ...resultFields,
      })
        .required()
        .meta({ component: 'VariantResults' }),
    )
    .required()
    .meta({ description: 'The results of each variant, if the campaign has an A/B test.' }),
  links: array()
    .of(
      object({
        variant: number()
          .integer()
          .nullable()
          .defined()
          .meta({ description: 'Null if the campaign has no A/B test.', example: null }),
        url: string().defined().meta({ example: 'https://example.com/news' }),
        clicks: count('Emails in which a person clicked the link.', 12),
      }).required(),
    )
    .required()
    .meta({ description: `The links that were clicked in most emails, at most ${MAX_LINKS}.` }),
  days: daysResponse('By the day on which the messages were created.'),
  createdAt: timestamp('When this report was created.'),
  // An empty signature is not from this instance, but it is not an error either.
  signature: string().defined().meta({
    description: 'Signature of this instance over all other fields. POST /campaigns/verify-report checks it.',
    example: 'q7Zk1mJ0',
  }),
})
  .required()
  .meta({
    component: 'CampaignReport',
    description: 'A signed delivery report. recipients is the sum of all other counts.',
  })

/** The statuses beside SENT and CAPTURED, which `sent` counts. */
const OTHER_STATUSES = ['QUEUED', 'SENDING', 'DEFERRED', 'FAILED', 'UNCONFIRMED', 'SUPPRESSED', 'DISMISSED'] as const

const recipientFields = {
  recipients: count('The sum of sent and of the other statuses.', 100),
  ...(Object.fromEntries(
    OTHER_STATUSES.map((status) => [lower(status), count(`Messages that are ${status}.`, 0)]),
  ) as Record<Lowercase<(typeof OTHER_STATUSES)[number]>, ReturnType<typeof count>>),
  ...resultFields,
}

const recipientsResponse = object(recipientFields).required().meta({
  component: 'RecipientResults',
  description: 'Recipients by the status of their message, and the results of the emails that were sent.',
})

const presentRecipients = (counts: ResultCounts): InferType<typeof recipientsResponse> => ({
  recipients: MESSAGE_STATUSES.reduce((sum, status) => sum + (counts[status] ?? 0), 0),
  ...(Object.fromEntries(OTHER_STATUSES.map((status) => [lower(status), counts[status] ?? 0])) as Record<
    Lowercase<(typeof OTHER_STATUSES)[number]>,
    number
  >),
  ...presentResults(counts),
})

/** `GET /campaigns/{id}/domains`. */
export const domainsResponse = object({
  total: recipientsResponse,
  domains: array()
    .of(
      object({ domain: string().required().meta({ example: 'gmail.com' }), ...recipientFields })
        .required()
        .meta({ component: 'CampaignDomain' }),
    )
    .required()
    .meta({ description: 'The domains with most recipients, the largest first.' }),
  otherDomains: count('The number of domains that are not listed.', 0),
  others: recipientsResponse.meta({ description: 'The sum of the domains that are not listed.' }),
})
  .required()
  .meta({ component: 'CampaignDomains', description: 'The recipients of a campaign by receiving domain.' })

export const presentDomains = ({ total, domains, otherDomains, others }: CampaignDomains) => ({
  total: presentRecipients(total),
  domains: domains.map(({ domain, counts }) => ({ domain, ...presentRecipients(counts) })),
  otherDomains,
  others: presentRecipients(others),
})

/** `GET /campaigns/{id}/timeline`. */
export const timelineResponse = object({
  hours: array()
    .of(
      object({
        at: timestamp('The start of the hour: a number of hours after the start of the campaign.'),
        opened: count('Emails that a person first opened in this hour.', 40),
        clicked: count('Emails in which a person first clicked a link in this hour.', 12),
      }).required(),
    )
    .required()
    .meta({ description: `The first ${TIMELINE_HOURS} hours. Hours without opens and clicks are left out.` }),
  minutes: array()
    .of(
      object({
        at: timestamp('The start of the minute.'),
        sent: count('Emails that were sent or captured in this minute.', 300),
      }).required(),
    )
    .required()
    .meta({ description: `The last ${TIMELINE_MINUTES} minutes. Minutes in which no email was sent are left out.` }),
})
  .required()
  .meta({ component: 'CampaignTimeline', description: 'When the emails of a campaign were sent, opened and clicked.' })

export const presentTimeline = ({ hours, minutes }: CampaignTimeline): InferType<typeof timelineResponse> => ({
  hours: hours.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })),
  minutes: minutes.map(({ at, sent }) => ({ at: at.toISOString(), sent })),
})
