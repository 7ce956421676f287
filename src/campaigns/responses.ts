import { array, number, object, string, type InferType } from 'yup'
import { count, EXAMPLE_ID, id, timestamp } from '../http/index.ts'
import { MESSAGE_STATUSES } from '../messages/index.ts'
import { EMAIL_CATEGORIES } from '../automation-engine/index.ts'
import { type AbTest, WINNER_BY } from './ab-test.ts'
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
  listIds: ids('Whoever is in one of these lists,'),
  segmentIds: ids('or in one of these segments,'),
  exclude: object({
    listIds: ids('but in none of these lists'),
    segmentIds: ids('and in none of these segments.'),
  }).required(),
})
  .required()
  .meta({ component: 'Audience' })

const lower = <Status extends string>(status: Status) => status.toLowerCase() as Lowercase<Status>

/** What has become of everybody it is for: all terms of one sum. */
export const statsResponse = object({
  recipients: count('Whom it is for, as far as the contacts are gone through.', 1_000),
  ...(Object.fromEntries(
    MESSAGE_STATUSES.map((status) => [lower(status), count(`How many are ${status}.`, 0)]),
  ) as Record<Lowercase<(typeof MESSAGE_STATUSES)[number]>, ReturnType<typeof count>>),
  erased: count('How many were of contacts who have been erased since.', 0),
})
  .required()
  .meta({ component: 'CampaignStats', description: 'recipients is the sum of all others.' })

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
  subject: nullable('News', 'As it was written; of a template, its subject.'),
  scheduledAt: nullableTime('When it begins, or has begun.'),
  localTime: nullable(null, 'The time on the clocks where contacts are, where it is that.'),
  startedAt: nullableTime('When it began.'),
  finishedAt: nullableTime('When everybody was mailed, or had a reason why not.'),
  createdAt: timestamp('When it was created.'),
  updatedAt: timestamp('When it was last changed.'),
  stats: statsResponse,
  opened: count('How many a person has opened, as far as that is asked and can be told.', 0),
  clicked: count('In how many a person has followed a link, as far as that is asked and can be told.', 0),
}

/** What a campaign's figures say. */
export interface CampaignStats {
  stats: Stats
  opened: number
  clicked: number
}

export const figuresOf = (recipients: number, counts: Counts = {}): CampaignStats => ({
  stats: statsOf(recipients, counts),
  opened: counts['OPENED'] ?? 0,
  clicked: counts['CLICKED'] ?? 0,
})

export const campaignSummaryResponse = object(head).required().meta({ component: 'CampaignSummary' })

const abTestResponse = object({
  variants: array()
    .of(
      object({
        subject: nullable('What is new', 'As it is written; of a template, its subject.'),
        templateId: nullable(null, 'The template that it is made of; null: all but its subject is as in the campaign.'),
        recipients: count('How many are to get it, or have.', 100),
        sent: count('To how many it was sent.', 100),
        opened: count('How many of these have opened it.', 40),
        clicked: count('How many of these have followed a link of it.', 12),
      }).required(),
    )
    .required()
    .meta({ description: "The campaign's own first." }),
  testPercent: number().integer().min(1).max(100).required().meta({ example: 20 }),
  winnerBy: string().oneOf(WINNER_BY).required().meta({ example: 'CLICKED' }),
  afterMinutes: number().integer().min(1).required().meta({ example: 240 }),
  decidesAt: nullableTime('When the rest is decided; null as long as the others are not sent.'),
  winner: number()
    .integer()
    .min(0)
    .nullable()
    .defined()
    .meta({ description: 'Which variant the rest gets, as a place in variants.', example: 1 }),
})
  .default(undefined)
  .meta({ component: 'AbTest', description: 'An A/B test, and what came of it.' })

export const campaignResponse = object({
  ...head,
  abTest: abTestResponse.optional(),
  templateId: nullable(null, 'The template that it was made of; null: it has what it says itself.'),
  templateVersion: number().integer().min(1).nullable().defined().meta({ example: null }),
  format: nullable('HTML', 'What its html is; null where it is of a template.'),
  previewText: nullable(null, 'What mailboxes show behind the subject.'),
  html: nullable(
    '<p>Hello {{ contact.firstName }}</p>',
    'As it was written; null where it is of a template. Of one that is deleted, what was made of it.',
  ),
  text: nullable(null, 'The same; null where it is made of the HTML, too.'),
  audience: audienceResponse,
  throttlePerHour: number().integer().min(1).nullable().defined().meta({ example: null }),
  fallbackTimeZone: nullable(null, 'Of contacts of whom no zone is known.'),
  pauseReason: nullable(null, 'Why Dripline paused the campaign itself; null if a person paused it.'),
})
  .required()
  .meta({ component: 'Campaign', description: 'One email to many.' })

export const presentSummary = (campaign: Omit<ListedCampaign, 'counts'>, figures: CampaignStats) => ({
  id: campaign.id,
  name: campaign.name,
  status: campaign.status,
  category: campaign.category,
  subject: campaign.subject,
  scheduledAt: campaign.scheduledAt?.toISOString() ?? null,
  localTime: campaign.localTime ?? null,
  startedAt: campaign.startedAt?.toISOString() ?? null,
  finishedAt: campaign.finishedAt?.toISOString() ?? null,
  createdAt: campaign.createdAt.toISOString(),
  updatedAt: campaign.updatedAt.toISOString(),
  ...figures,
})

const listed = (campaign: Campaign, compiledSubject: string | undefined): Omit<ListedCampaign, 'counts'> => ({
  ...campaign,
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
 * @param byVariant what has become of the messages of each of its variants, where it has any
 * @param said.subjects of its variants, its own first
 * @param said.gone what it says, where its template is deleted
 */
export const presentCampaign = (
  campaign: Campaign,
  figures: CampaignStats,
  byVariant: ReadonlyMap<number, Counts>,
  { subjects, gone }: { subjects: readonly (string | undefined)[]; gone: EmailContent | undefined },
): InferType<typeof campaignResponse> => ({
  ...presentSummary(listed(campaign, subjects[0]), figures),
  abTest: campaign.abTest
    ? presentTest({ ...campaign, subject: listed(campaign, subjects[0]).subject }, campaign.abTest, byVariant, subjects)
    : undefined,
  templateId: campaign.templateId ?? null,
  templateVersion: campaign.templateVersion ?? null,
  format: campaign.source?.format ?? (gone ? 'HTML' : null),
  previewText: campaign.source?.previewText ?? null,
  html: campaign.source?.html ?? gone?.html ?? null,
  text: campaign.source?.text ?? gone?.text ?? null,
  audience: campaign.audience,
  throttlePerHour: campaign.throttlePerHour ?? null,
  fallbackTimeZone: campaign.fallbackTimeZone ?? null,
  pauseReason: campaign.pauseReason ?? null,
})

/** `GET /campaigns/{id}/account`. */
export const accountResponse = object({
  campaignId: id('campaign'),
  status: string().oneOf(CAMPAIGN_STATUSES).required().meta({ example: 'SENT' }),
  stats: statsResponse,
  reasons: array()
    .of(
      object({
        status: string().oneOf(MESSAGE_STATUSES).required().meta({ example: 'SUPPRESSED' }),
        // Of whoever was erased nothing is kept.
        reason: string().defined().meta({ example: 'The contact has unsubscribed' }),
        count: count('How many.', 3),
      }).required(),
    )
    .required()
    .meta({ description: 'Why those were not sent who were not; GET /messages lists them by campaign and status.' }),
  madeAt: timestamp('When this account was made.'),
  // An empty one is none of ours, and no error.
  signature: string().defined().meta({
    description:
      'Of all of the above, by this instance: what it has not made, or somebody has changed, POST /campaigns/verify-account tells.',
    example: 'q7Zk1mJ0',
  }),
})
  .required()
  .meta({ component: 'CampaignAccount', description: 'What became of everybody: recipients is the sum of all others.' })
