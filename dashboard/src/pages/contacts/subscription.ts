import { IconCheck, IconClock, IconFlag, IconMailOff, IconMailX, IconUserMinus } from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'
import type { StatusStyle } from '../../components/StatusBadge.tsx'

const SUBSCRIBED: StatusStyle = { label: 'Subscribed', icon: IconCheck, tone: 'ok' }
const UNSUBSCRIBED: StatusStyle = { label: 'Unsubscribed', icon: IconUserMinus, tone: 'mute' }

const SUPPRESSED: Record<NonNullable<Schemas['Contact']['suppressedBy']>, StatusStyle> = {
  UNCONFIRMED: { label: 'Pending', icon: IconClock, tone: 'warn' },
  UNSUBSCRIBED,
  IMPORTED: UNSUBSCRIBED,
  BOUNCED: { label: 'Bounced', icon: IconMailX, tone: 'bad' },
  COMPLAINED: { label: 'Complained', icon: IconFlag, tone: 'bad' },
  MANUAL: { label: 'Suppressed', icon: IconMailOff, tone: 'mute' },
}

/** Returns whether a contact gets marketing, as a status. */
export const subscriptionOf = ({ suppressedBy }: Pick<Schemas['Contact'], 'suppressedBy'>): StatusStyle =>
  suppressedBy === null ? SUBSCRIBED : SUPPRESSED[suppressedBy]
