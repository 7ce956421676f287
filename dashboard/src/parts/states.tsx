import {
  IconArchive,
  IconBan,
  IconCheck,
  IconChecks,
  IconCircleDashed,
  IconClock,
  IconInbox,
  IconMailOff,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconQuestionMark,
  IconSend,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react'
import type { Schemas } from '../api/client.ts'
import classes from './states.module.css'

export interface Look {
  word: string
  icon: TablerIcon
  /** Its meaning: a class of base.css. */
  meaning: 'accent' | 'ok' | 'warn' | 'bad' | 'ask' | 'cap' | 'mute'
}

export type MessageStatus = Schemas['MessageSummary']['status']
export type EnrollmentStatus = Schemas['Enrollment']['status'] | 'HELD'
export type AutomationStatus = Schemas['Automation']['status']

export const MESSAGE_LOOKS: Record<MessageStatus, Look> = {
  SENT: { word: 'Sent', icon: IconCheck, meaning: 'ok' },
  CAPTURED: { word: 'Captured', icon: IconInbox, meaning: 'cap' },
  QUEUED: { word: 'Queued', icon: IconClock, meaning: 'mute' },
  SENDING: { word: 'Sending', icon: IconSend, meaning: 'accent' },
  DEFERRED: { word: 'Deferred', icon: IconClock, meaning: 'warn' },
  FAILED: { word: 'Failed', icon: IconX, meaning: 'bad' },
  UNCONFIRMED: { word: 'Unconfirmed', icon: IconQuestionMark, meaning: 'ask' },
  SUPPRESSED: { word: 'Suppressed', icon: IconMailOff, meaning: 'mute' },
  DISMISSED: { word: 'Dismissed', icon: IconBan, meaning: 'mute' },
}

export const ENROLLMENT_LOOKS: Record<EnrollmentStatus, Look> = {
  ACTIVE: { word: 'Active', icon: IconPlayerPlay, meaning: 'accent' },
  HELD: { word: 'Held', icon: IconPlayerPause, meaning: 'warn' },
  COMPLETED: { word: 'Completed', icon: IconChecks, meaning: 'ok' },
  STOPPED: { word: 'Stopped', icon: IconPlayerStop, meaning: 'bad' },
  CANCELLED: { word: 'Cancelled', icon: IconBan, meaning: 'mute' },
}

export const AUTOMATION_LOOKS: Record<AutomationStatus, Look> = {
  ACTIVE: { word: 'Active', icon: IconPlayerPlay, meaning: 'ok' },
  PAUSED: { word: 'Paused', icon: IconPlayerPause, meaning: 'warn' },
  DRAFT: { word: 'Draft', icon: IconCircleDashed, meaning: 'mute' },
  ARCHIVED: { word: 'Archived', icon: IconArchive, meaning: 'mute' },
}

/** A state: always its icon and its word. @param plain without the ground */
export function State({ look, plain = false }: { look: Look; plain?: boolean }) {
  const { word, icon: Icon, meaning } = look
  const ground = plain ? classes.plain : look === MESSAGE_LOOKS.UNCONFIRMED ? classes.dashed : classes.ground
  return (
    <span className={`${classes.state} ${ground} c-${meaning}`}>
      <Icon size={14} stroke={2} aria-hidden />
      {word}
    </span>
  )
}
