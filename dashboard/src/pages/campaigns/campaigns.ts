import { IconBan, IconCalendarTime, IconChecks, IconCircleDashed, IconPlayerPause, IconSend } from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'
import type { Look } from '../../parts/states.tsx'

export type Campaign = Schemas['Campaign']
export type CampaignStatus = Campaign['status']

export const CAMPAIGN_LOOKS: Record<CampaignStatus, Look> = {
  DRAFT: { word: 'Draft', icon: IconCircleDashed, meaning: 'mute' },
  SCHEDULED: { word: 'Scheduled', icon: IconCalendarTime, meaning: 'accent' },
  SENDING: { word: 'Sending', icon: IconSend, meaning: 'accent' },
  PAUSED: { word: 'Paused', icon: IconPlayerPause, meaning: 'warn' },
  SENT: { word: 'Sent', icon: IconChecks, meaning: 'ok' },
  CANCELLED: { word: 'Cancelled', icon: IconBan, meaning: 'mute' },
}

/** Whether its figures change by themselves. */
export const isUnderWay = (status: CampaignStatus): boolean => status === 'SENDING' || status === 'SCHEDULED'

/** Of a campaign's statistics: how many are settled, one way or the other. */
export const settledOf = ({ recipients, queued, sending, deferred }: Campaign['stats']): number =>
  recipients - queued - sending - deferred
