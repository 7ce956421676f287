import {
  IconArrowsSplit2,
  IconBolt,
  IconCalendarTime,
  IconGitBranch,
  IconHourglass,
  IconLogout,
  IconMail,
  IconUserEdit,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react'
import type { StepType } from './steps.ts'

interface StepStyle {
  label: string
  icon: TablerIcon
  /** A color class of base.css. */
  tone: 'accent' | 'mute' | 'logic' | 'data'
  /** Waits and ends are pills. */
  isPill: boolean
  /** Adds a step of this type with the keyboard. */
  key?: string
}

export const STEP_TYPES: Readonly<Record<StepType, StepStyle>> = {
  EMAIL: { label: 'Email', icon: IconMail, tone: 'accent', isPill: false, key: 'E' },
  WAIT: { label: 'Wait', icon: IconHourglass, tone: 'mute', isPill: true, key: 'W' },
  WAIT_UNTIL: { label: 'Wait until', icon: IconCalendarTime, tone: 'mute', isPill: true },
  WAIT_FOR_EVENT: { label: 'Wait for event', icon: IconBolt, tone: 'mute', isPill: false },
  CONDITION: { label: 'Condition', icon: IconGitBranch, tone: 'logic', isPill: false },
  SPLIT: { label: 'Random split', icon: IconArrowsSplit2, tone: 'logic', isPill: false },
  UPDATE_CONTACT: { label: 'Update contact', icon: IconUserEdit, tone: 'data', isPill: false },
  WEBHOOK: { label: 'Webhook', icon: IconWebhook, tone: 'data', isPill: false },
  EXIT: { label: 'Exit', icon: IconLogout, tone: 'mute', isPill: true },
}
