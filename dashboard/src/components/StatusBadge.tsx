import {
  IconArchive,
  IconBan,
  IconCheck,
  IconChecks,
  IconCircleDashed,
  IconClock,
  IconInbox,
  IconLogout,
  IconMailOff,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconQuestionMark,
  IconSend,
  IconTargetArrow,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react'
import type { Schemas } from '../api/client.ts'
import classes from './StatusBadge.module.css'

export interface StatusStyle {
  label: string
  icon: TablerIcon
  /** A color class of base.css. */
  tone: 'accent' | 'ok' | 'warn' | 'bad' | 'ask' | 'cap' | 'mute'
}

export type MessageStatus = Schemas['MessageSummary']['status']
export type EnrollmentStatus = Schemas['Enrollment']['status'] | 'PAUSED'
export type AutomationStatus = Schemas['Automation']['status']

export const MESSAGE_STATUS: Record<MessageStatus, StatusStyle> = {
  SENT: { label: 'Sent', icon: IconCheck, tone: 'ok' },
  CAPTURED: { label: 'Captured', icon: IconInbox, tone: 'cap' },
  QUEUED: { label: 'Queued', icon: IconClock, tone: 'mute' },
  SENDING: { label: 'Sending', icon: IconSend, tone: 'accent' },
  DEFERRED: { label: 'Deferred', icon: IconClock, tone: 'warn' },
  FAILED: { label: 'Failed', icon: IconX, tone: 'bad' },
  UNCONFIRMED: { label: 'Unconfirmed', icon: IconQuestionMark, tone: 'ask' },
  SUPPRESSED: { label: 'Suppressed', icon: IconMailOff, tone: 'mute' },
  DISMISSED: { label: 'Dismissed', icon: IconBan, tone: 'mute' },
}

export const ENROLLMENT_STATUS: Record<EnrollmentStatus, StatusStyle> = {
  ACTIVE: { label: 'Active', icon: IconPlayerPlay, tone: 'accent' },
  PAUSED: { label: 'Paused', icon: IconPlayerPause, tone: 'warn' },
  COMPLETED: { label: 'Completed', icon: IconChecks, tone: 'ok' },
  GOAL_REACHED: { label: 'Goal reached', icon: IconTargetArrow, tone: 'ok' },
  EXITED: { label: 'Exited', icon: IconLogout, tone: 'mute' },
  STOPPED: { label: 'Stopped', icon: IconPlayerStop, tone: 'bad' },
  CANCELLED: { label: 'Cancelled', icon: IconBan, tone: 'mute' },
}

export const AUTOMATION_STATUS: Record<AutomationStatus, StatusStyle> = {
  ACTIVE: { label: 'Active', icon: IconPlayerPlay, tone: 'ok' },
  PAUSED: { label: 'Paused', icon: IconPlayerPause, tone: 'warn' },
  DRAFT: { label: 'Draft', icon: IconCircleDashed, tone: 'mute' },
  ARCHIVED: { label: 'Archived', icon: IconArchive, tone: 'mute' },
}

/** A status with icon and label. @param plain without background */
export function StatusBadge({ status, plain = false }: { status: StatusStyle; plain?: boolean }) {
  const { label, icon: Icon, tone } = status
  const ground = plain ? classes.plain : status === MESSAGE_STATUS.UNCONFIRMED ? classes.dashed : classes.ground
  return (
    <span className={`${classes.state} ${ground} c-${tone}`}>
      <Icon size={14} stroke={2} aria-hidden />
      {label}
    </span>
  )
}
