import {
  IconBolt,
  IconCalendarEvent,
  IconList,
  IconMailQuestion,
  IconTag,
  IconUserPlus,
  IconUsersGroup,
  type TablerIcon,
} from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'

export type Summary = Schemas['AutomationSummary']
export type Trigger = Schemas['Automation']['trigger']

interface TriggerStyle {
  icon: TablerIcon
  /** Label such as "Added to Newsletter". @param nameOf returns the name of a list or segment */
  label: (config: Record<string, unknown>, nameOf: (id: string) => string | undefined) => string
}

const named = (value: unknown, fallback: string): string =>
  typeof value === 'string' && value !== '' ? value : fallback

export const TRIGGERS: Record<Trigger, TriggerStyle> = {
  SIGNUP: { icon: IconUserPlus, label: () => 'Contact created' },
  LIST_ADDED: {
    icon: IconList,
    label: ({ listId }, nameOf) =>
      typeof listId === 'string' ? `Added to ${nameOf(listId) ?? 'a deleted list'}` : 'Added to a list (choose one)',
  },
  LIST_REQUESTED: {
    icon: IconMailQuestion,
    label: ({ listId }, nameOf) =>
      typeof listId === 'string'
        ? `Asked to confirm ${nameOf(listId) ?? 'a deleted list'}`
        : 'Asked to confirm a list (choose one)',
  },
  TAG_ADDED: { icon: IconTag, label: ({ tagName }) => `Tagged ${named(tagName, '(choose a tag)')}` },
  EVENT: { icon: IconBolt, label: ({ eventName }) => `Event ${named(eventName, '(choose an event)')}` },
  SEGMENT_ENTERED: {
    icon: IconUsersGroup,
    label: ({ segmentId }, nameOf) =>
      typeof segmentId === 'string'
        ? `Entered ${nameOf(segmentId) ?? 'a deleted segment'}`
        : 'Entered a segment (choose one)',
  },
  DATE: { icon: IconCalendarEvent, label: dateLabel },
}

function dateLabel({ field, offsetDays }: Record<string, unknown>): string {
  const name = field === 'contact.createdAt' ? 'creation' : named(field, '').replace(/^contact\.metadata\./, '')
  if (name === '') return 'Date reached (choose one)'
  const days = typeof offsetDays === 'number' ? offsetDays : 0
  const count = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`
  return days === 0 ? `On ${name}` : `${count} ${days < 0 ? 'before' : 'after'} ${name}`
}

const TRIGGER_OF_TYPE: Record<Summary['triggerType'], Trigger> = {
  CONTACT_CREATED: 'SIGNUP',
  LIST_ADDED: 'LIST_ADDED',
  LIST_REQUESTED: 'LIST_REQUESTED',
  TAG_ADDED: 'TAG_ADDED',
  CUSTOM_EVENT: 'EVENT',
  SEGMENT_ENTERED: 'SEGMENT_ENTERED',
  DATE: 'DATE',
}

/** The list endpoint has other names for two triggers. */
export const triggerOf = ({ triggerType }: Pick<Summary, 'triggerType'>): Trigger => TRIGGER_OF_TYPE[triggerType]
