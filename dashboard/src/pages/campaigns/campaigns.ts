import { IconBan, IconCalendarTime, IconChecks, IconCircleDashed, IconPlayerPause, IconSend } from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'
import type { StatusStyle } from '../../components/StatusBadge.tsx'

export type Campaign = Schemas['Campaign']
export type CampaignStatus = Campaign['status']

export const CAMPAIGN_STATUS: Record<CampaignStatus, StatusStyle> = {
  DRAFT: { label: 'Draft', icon: IconCircleDashed, tone: 'mute' },
  SCHEDULED: { label: 'Scheduled', icon: IconCalendarTime, tone: 'accent' },
  SENDING: { label: 'Sending', icon: IconSend, tone: 'accent' },
  PAUSED: { label: 'Paused', icon: IconPlayerPause, tone: 'warn' },
  SENT: { label: 'Sent', icon: IconChecks, tone: 'ok' },
  CANCELLED: { label: 'Cancelled', icon: IconBan, tone: 'mute' },
}

/** Checks whether the campaign's stats may change on their own. */
export const isInProgress = (status: CampaignStatus): boolean => status === 'SENDING' || status === 'SCHEDULED'

const REFETCH_MS = 10_000
/** From a hundred thousand recipients on, the requests are further apart, because each takes longer. */
const REFETCH_MS_PER_RECIPIENT = 0.1

/** Returns how often to repeat a request that reads all messages of a campaign, while it is sent. */
export const refetchOf = ({ status, stats }: Campaign): { refetchMs?: number } =>
  isInProgress(status) ? { refetchMs: Math.max(REFETCH_MS, stats.recipients * REFETCH_MS_PER_RECIPIENT) } : {}

/** Counts the recipients with a final status. */
export const finishedCountOf = ({ recipients, queued, sending, deferred }: Campaign['stats']): number =>
  recipients - queued - sending - deferred

/** A campaign in the list. */
export type CampaignRow = Schemas['CampaignSummary']

/** The emails that were sent, or captured in a test workspace. */
export const sentOf = ({ sent, captured }: Campaign['stats']): number => sent + captured

/** The views of the list. */
export const VIEWS = [
  { id: 'all', label: 'All' },
  { id: 'drafts', label: 'Drafts' },
  { id: 'scheduled', label: 'Scheduled' },
  { id: 'sending', label: 'Sending' },
  { id: 'sent', label: 'Sent' },
] as const

const STATUSES_OF: Record<(typeof VIEWS)[number]['id'], readonly CampaignStatus[]> = {
  all: ['DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED'],
  drafts: ['DRAFT'],
  scheduled: ['SCHEDULED'],
  sending: ['SENDING', 'PAUSED'],
  sent: ['SENT', 'CANCELLED'],
}

/** Whether a campaign is in a view. */
export const isIn = ({ status }: CampaignRow, view: (typeof VIEWS)[number]['id']): boolean =>
  STATUSES_OF[view].includes(status)
