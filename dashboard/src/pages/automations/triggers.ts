import { IconBolt, IconList, IconMailQuestion, IconTag, IconUserPlus, type TablerIcon } from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'

export type Summary = Schemas['AutomationSummary']
export type Trigger = Schemas['Automation']['trigger']

interface TriggerStyle {
  icon: TablerIcon
  /** What starts it, as a label: "Added to Newsletter". */
  label: (config: Record<string, unknown>, listName: (id: string) => string | undefined) => string
}

const named = (value: unknown, fallback: string): string =>
  typeof value === 'string' && value !== '' ? value : fallback

export const TRIGGERS: Record<Trigger, TriggerStyle> = {
  SIGNUP: { icon: IconUserPlus, label: () => 'A contact is created' },
  LIST_ADDED: {
    icon: IconList,
    label: ({ listId }, listName) =>
      typeof listId === 'string' ? `Added to ${listName(listId) ?? 'a list that is gone'}` : 'Added to a list: which?',
  },
  LIST_REQUESTED: {
    icon: IconMailQuestion,
    label: ({ listId }, listName) =>
      typeof listId === 'string'
        ? `Asked to confirm ${listName(listId) ?? 'a list that is gone'}`
        : 'Asked to confirm a list: which?',
  },
  TAG_ADDED: { icon: IconTag, label: ({ tagName }) => `Tagged ${named(tagName, '…: with what?')}` },
  EVENT: { icon: IconBolt, label: ({ eventName }) => `Event ${named(eventName, '…: which?')}` },
}

const TRIGGER_OF_TYPE: Record<Summary['triggerType'], Trigger> = {
  CONTACT_CREATED: 'SIGNUP',
  LIST_ADDED: 'LIST_ADDED',
  LIST_REQUESTED: 'LIST_REQUESTED',
  TAG_ADDED: 'TAG_ADDED',
  CUSTOM_EVENT: 'EVENT',
}

/** The list calls two of them otherwise. */
export const triggerOf = ({ triggerType }: Pick<Summary, 'triggerType'>): Trigger => TRIGGER_OF_TYPE[triggerType]
