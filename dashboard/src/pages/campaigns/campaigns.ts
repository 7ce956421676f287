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

/** Counts the recipients with a final status. */
export const finishedCountOf = ({ recipients, queued, sending, deferred }: Campaign['stats']): number =>
  recipients - queued - sending - deferred
