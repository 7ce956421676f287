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

/** Whether its figures change by themselves. */
export const isInProgress = (status: CampaignStatus): boolean => status === 'SENDING' || status === 'SCHEDULED'

/** Of a campaign's statistics: how many are settled, one way or the other. */
export const finishedCountOf = ({ recipients, queued, sending, deferred }: Campaign['stats']): number =>
  recipients - queued - sending - deferred
