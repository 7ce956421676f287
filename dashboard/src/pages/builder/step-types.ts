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

/** In the order of the menu. */
export const STEP_GROUPS = ['Send', 'Wait', 'Branch', 'Data'] as const
type StepGroup = (typeof STEP_GROUPS)[number]

interface StepStyle {
  label: string
  /** Its group in the menu that adds steps. */
  group: StepGroup
  icon: TablerIcon
  /** A color class of base.css. */
  tone: 'accent' | 'mute' | 'logic' | 'data'
  /** Waits and ends are pills. */
  isPill: boolean
  /** Adds a step of this type with the keyboard. */
  key?: string
}

export const STEP_TYPES: Readonly<Record<StepType, StepStyle>> = {
  EMAIL: { label: 'Email', group: 'Send', icon: IconMail, tone: 'accent', isPill: false, key: 'E' },
  WAIT: { label: 'Wait', group: 'Wait', icon: IconHourglass, tone: 'mute', isPill: true, key: 'W' },
  WAIT_UNTIL: { label: 'Wait until', group: 'Wait', icon: IconCalendarTime, tone: 'mute', isPill: true },
  WAIT_FOR_EVENT: { label: 'Wait for event', group: 'Wait', icon: IconBolt, tone: 'mute', isPill: false },
  CONDITION: { label: 'Condition', group: 'Branch', icon: IconGitBranch, tone: 'logic', isPill: false },
  SPLIT: { label: 'Random split', group: 'Branch', icon: IconArrowsSplit2, tone: 'logic', isPill: false },
  UPDATE_CONTACT: { label: 'Update contact', group: 'Data', icon: IconUserEdit, tone: 'data', isPill: false },
  WEBHOOK: { label: 'Webhook', group: 'Data', icon: IconWebhook, tone: 'data', isPill: false },
  EXIT: { label: 'Exit', group: 'Branch', icon: IconLogout, tone: 'mute', isPill: true },
}
