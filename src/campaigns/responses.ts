import { design } from '../templates/index.ts'
import { array, boolean, number, object, string, type InferType } from 'yup'
import { count, EXAMPLE_ID, id, timestamp, writtenResponse } from '../http/index.ts'
import { MESSAGE_STATUSES, presentResults } from '../messages/index.ts'
import { CONTACT_SUPPRESSED_BY } from '../contacts/index.ts'
import { EMAIL_CATEGORIES } from '../automation-engine/index.ts'
import { type AbTest, WINNER_CRITERIA } from './ab-test.ts'
import { CAMPAIGN_STATUSES } from './campaign.ts'
import type { Counts } from './counts.ts'
import type { EmailContent } from '../rendering/index.ts'
import type { Campaign } from './entities.ts'
import type { ListedCampaign } from './queries.ts'

const nullable = (example: string | null, description: string) =>
  string().nullable().defined().meta({ example, description })

const nullableTime = (description: string) => timestamp(description).nullable().defined()

const ids = (description: string) =>
  array()
    .of(string().required().meta({ example: EXAMPLE_ID }))
    .required()
    .meta({ description })

const audienceResponse = object({
  listIds: ids('Lists whose members are included.'),
  segmentIds: ids('Segments whose contacts are included.'),
  exclude: object({
    listIds: ids('Lists whose members are excluded.'),
    segmentIds: ids('Segments whose contacts are excluded.'),
  }).required(),
})
  .required()
  .meta({ component: 'Audience' })

/** `POST /campaigns/count`. */
export const audienceCountResponse = object({
  contactCount: count('Contacts of the audience who would get the email.', 1_000),
  suppressed: array()
    .of(
      object({
        reason: string().oneOf(CONTACT_SUPPRESSED_BY).required().meta({ example: 'UNSUBSCRIBED' }),
        count: count('The number of contacts.', 12),
      }).required(),
    )
    .required()
    .meta({ description: 'Contacts of the audience who would not get it, by reason.' }),
})
  .required()
  .meta({ component: 'AudienceCount' })

/** The field of a status. */
export const lower = <Status extends string>(status: Status) => status.toLowerCase() as Lowercase<Status>

/** Results of a campaign. The counts add up to `recipients`. */
export const statsResponse = object({
  recipients: count('Recipients queued so far.', 1_000),
  ...(Object.fromEntries(
    MESSAGE_STATUSES.map((status) => [lower(status), count(`Messages that are ${status}.`, 0)]),
  ) as Record<Lowercase<(typeof MESSAGE_STATUSES)[number]>, ReturnType<typeof count>>),
  erased: count('Messages to contacts that have since been erased.', 0),
})
  .required()
  .meta({ component: 'CampaignStats', description: 'recipients is the sum of all other counts.' })

export type Stats = InferType<typeof statsResponse>

export function statsOf(recipients: number, counts: Counts = {}): Stats {
  const known = Object.fromEntries(MESSAGE_STATUSES.map((status) => [lower(status), counts[status] ?? 0]))
  const sum = Object.values(known).reduce((total, each) => total + each, 0)
  return { recipients, ...known, erased: Math.max(0, recipients - sum) } as Stats
}

const head = {
  id: id('campaign'),
  name: string().required().meta({ example: 'December news' }),
  status: string()
    .oneOf(CAMPAIGN_STATUSES)
    .required()
    .meta({ description: 'DRAFT, SCHEDULED, SENDING, PAUSED, SENT, CANCELLED.', example: 'SENT' }),
  category: string().oneOf(EMAIL_CATEGORIES).required().meta({ example: 'marketing' }),
  subject: nullable('News', 'The subject as written, or the subject of the template.'),
  audience: audienceResponse,
  isAbTest: boolean().required().meta({ description: 'Whether it has an A/B test.', example: false }),
  winnerAt: nullableTime(
    'When the winner of its A/B test is chosen. null if it was chosen, or before the test is sent.',
  ),
  scheduledAt: nullableTime('When the campaign starts or started.'),
  localTime: nullable(null, 'The local time at which each contact gets it, if it is scheduled by local time.'),
  startedAt: nullableTime('When sending started.'),
  finishedAt: nullableTime('When every recipient had been mailed or had a reason why not.'),
  createdAt: timestamp('When the campaign was created.'),
  updatedAt: timestamp('When the campaign was last changed.'),
  stats: statsResponse,
  delivered: count('Messages sent that did not bounce hard afterwards.', 0),
  opened: count('Messages opened by a person, if opens are tracked.', 0),
  clicked: count('Messages in which a person clicked a link, if clicks are tracked.', 0),
}

/** Results of a campaign. */
export interface CampaignResults {
  stats: Stats
  delivered: number
  opened: number
  clicked: number
}

export const resultsOf = (recipients: number, counts: Counts = {}): CampaignResults => ({
  stats: statsOf(recipients, counts),
  delivered: presentResults(counts).delivered,
  opened: counts['OPENED'] ?? 0,
  clicked: counts['CLICKED'] ?? 0,
})

export const campaignSummaryResponse = object(head).required().meta({ component: 'CampaignSummary' })

const abTestResponse = object({
  variants: array()
    .of(
      object({
        subject: nullable('What is new', 'The subject as written, or the subject of the template.'),
        templateId: nullable(
          null,
          'The template of the variant. null: everything except the subject is the same as in the campaign.',
        ),
        recipients: count('Recipients that get this variant.', 100),
        sent: count('Recipients to whom it was sent.', 100),
        opened: count('How many of them opened it.', 40),
        clicked: count('How many of them clicked a link.', 12),
      }).required(),
    )
    .required()
    .meta({ description: "The variants, with the campaign's own content first." }),
  testPercent: number().integer().min(1).max(100).required().meta({ example: 20 }),
  winnerBy: string().oneOf(WINNER_CRITERIA).required().meta({ example: 'CLICKED' }),
  afterMinutes: number().integer().min(1).required().meta({ example: 240 }),
  decidesAt: nullableTime('When the winner is decided; null until the test emails are sent.'),
  winner: number()
    .integer()
    .min(0)
    .nullable()
    .defined()
    .meta({ description: 'The variant for the remaining recipients, as an index in variants.', example: 1 }),
})
  .default(undefined)
  .meta({ component: 'AbTest', description: 'An A/B test and its results.' })

export const campaignResponse = object({
  ...head,
  abTest: abTestResponse.optional(),
  templateId: nullable(null, 'The template of the campaign; null if it has its own content.'),
  templateVersion: number().integer().min(1).nullable().defined().meta({ example: null }),
  format: nullable('HTML', 'The format of html; null with a template.'),
  previewText: nullable(null, 'The text that inboxes show after the subject.'),
  html: nullable(
    '<p>Hello {{ contact.firstName }}</p>',
    'The HTML as written; null with a template. If the template was deleted, the compiled HTML.',
  ),
  design: design(),
  text: nullable(null, 'The plain text as written; null with a template, or if it is generated from the HTML.'),
  throttlePerHour: number().integer().min(1).nullable().defined().meta({ example: null }),
  fallbackTimeZone: nullable(null, 'The time zone of contacts without a known zone.'),
  pauseReason: nullable(null, 'Why Dripline paused the campaign itself; null if a member paused it.'),
})
  .required()
  .meta({ component: 'Campaign', description: 'One email to many contacts.' })

/** The response to a write, which a key that may not read campaigns gets only in part. */
export const writtenCampaignResponse = writtenResponse(campaignResponse, {
  component: 'WrittenCampaign',
  scope: 'campaigns:read',
})

export const presentSummary = (campaign: Omit<ListedCampaign, 'counts'>, results: CampaignResults) => ({
  id: campaign.id,
  name: campaign.name,
  status: campaign.status,
  category: campaign.category,
  subject: campaign.subject,
  audience: campaign.audience,
  isAbTest: campaign.isAbTest,
  winnerAt: campaign.winnerAt?.toISOString() ?? null,
  scheduledAt: campaign.scheduledAt?.toISOString() ?? null,
  localTime: campaign.localTime ?? null,
  startedAt: campaign.startedAt?.toISOString() ?? null,
  finishedAt: campaign.finishedAt?.toISOString() ?? null,
  createdAt: campaign.createdAt.toISOString(),
  updatedAt: campaign.updatedAt.toISOString(),
  ...results,
})

const listed = (campaign: Campaign, compiledSubject: string | undefined): Omit<ListedCampaign, 'counts'> => ({
  ...campaign,
  isAbTest: campaign.abTest != null,
  winnerAt: campaign.winner == null ? (campaign.decidesAt ?? null) : null,
  subject: campaign.source?.subject ?? compiledSubject ?? null,
  scheduledAt: campaign.scheduledAt ?? null,
  localTime: campaign.localTime ?? null,
  startedAt: campaign.startedAt ?? null,
  finishedAt: campaign.finishedAt ?? null,
})

const SENT_ONES = ['SENT', 'CAPTURED'] as const

function presentTest(
  {
    subject,
    templateId,
    winner,
    decidesAt,
  }: Pick<Campaign, 'templateId' | 'winner' | 'decidesAt'> & { subject: string | null },
  { variants, testPercent, winnerBy, afterMinutes }: AbTest,
  counts: ReadonlyMap<number, Counts>,
  subjects: readonly (string | undefined)[],
): InferType<typeof abTestResponse> {
  const own = { subject, templateId: templateId ?? null }
  const others = variants.map((variant, n) => ({
    subject: variant.subject ?? subjects[n + 1] ?? null,
    templateId: variant.templateId,
  }))
  return {
    variants: [own, ...others].map((variant, n) => {
      const of = counts.get(n) ?? {}
      const sum = (statuses: readonly (typeof MESSAGE_STATUSES)[number][]) =>
        statuses.reduce((total, status) => total + (of[status] ?? 0), 0)
      return {
        ...variant,
        recipients: sum(MESSAGE_STATUSES),
        sent: sum(SENT_ONES),
        opened: of['OPENED'] ?? 0,
        clicked: of['CLICKED'] ?? 0,
      }
    }),
    testPercent,
    winnerBy,
    afterMinutes,
    decidesAt: decidesAt?.toISOString() ?? null,
    winner: winner ?? null,
  }
}

/**
 * @param byVariant message counts of each variant, if it has any
 * @param said.subjects of its variants, its own first
 * @param said.gone the compiled content if its template was deleted
 */
export const presentCampaign = (
  campaign: Campaign,
  results: CampaignResults,
  byVariant: ReadonlyMap<number, Counts>,
  { subjects, gone }: { subjects: readonly (string | undefined)[]; gone: EmailContent | undefined },
): InferType<typeof campaignResponse> => ({
  ...presentSummary(listed(campaign, subjects[0]), results),
  abTest: campaign.abTest
    ? presentTest({ ...campaign, subject: listed(campaign, subjects[0]).subject }, campaign.abTest, byVariant, subjects)
    : undefined,
  templateId: campaign.templateId ?? null,
  templateVersion: campaign.templateVersion ?? null,
  format: campaign.source?.format ?? (gone ? 'HTML' : null),
  previewText: campaign.source?.previewText ?? null,
  html: campaign.source?.html ?? gone?.html ?? null,
  ...(campaign.source?.design && { design: campaign.source.design }),
  text: campaign.source?.text ?? gone?.text ?? null,
  throttlePerHour: campaign.throttlePerHour ?? null,
  fallbackTimeZone: campaign.fallbackTimeZone ?? null,
  pauseReason: campaign.pauseReason ?? null,
})
