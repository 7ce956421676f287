import { IconArrowRight, IconBan, IconMinus, IconPlayerPlay, IconTargetArrow } from '@tabler/icons-react'
import type { Schemas } from '../api/client.ts'
import { type StatusStyle, StatusBadge } from './StatusBadge.tsx'

type StoredEvent = Schemas['StoredEvent']

/** The effects of an event, one of which it shows. */
export const EVENT_OUTCOMES = ['started', 'continued', 'ended', 'excluded', 'nothing'] as const
export type EventOutcome = (typeof EVENT_OUTCOMES)[number]

const OUTCOMES: Record<EventOutcome, StatusStyle> = {
  started: { label: 'Started', icon: IconPlayerPlay, tone: 'accent' },
  continued: { label: 'Continued', icon: IconArrowRight, tone: 'ok' },
  ended: { label: 'Ended', icon: IconTargetArrow, tone: 'ok' },
  excluded: { label: 'Excluded', icon: IconBan, tone: 'mute' },
  nothing: { label: 'Nothing', icon: IconMinus, tone: 'mute' },
}

export const outcomeLabel = (outcome: EventOutcome): string => OUTCOMES[outcome].label

/** The strongest effect of an event. */
export function outcomeOf({ started, continued, ended, alreadyEnrolled, refused }: StoredEvent): EventOutcome {
  if (started.length > 0) return 'started'
  if (ended.length > 0) return 'ended'
  if (continued.length > 0) return 'continued'
  return alreadyEnrolled.length > 0 || refused.length > 0 ? 'excluded' : 'nothing'
}

export const EventOutcomeBadge = ({ of }: { of: StoredEvent }) => <StatusBadge plain status={OUTCOMES[outcomeOf(of)]} />

const REFUSALS: Record<StoredEvent['refused'][number]['rule'], string> = {
  FILTER: 'entry filter',
  REENTRY: 're-entry rule',
  KEY: 'no usable concurrency key',
  LOOP: 'too many automations in a row',
  PAUSED: 'paused',
  TRIGGERS_OFF: 'triggers off',
}

/** Describes what an event did in which automations. */
export function effectText({ started, continued, ended, alreadyEnrolled, refused }: StoredEvent): string {
  const nameOf = ({ name }: { name: string | null }) => name ?? 'Deleted automation'
  const parts = [
    ...started.map((each) => nameOf(each)),
    ...continued.map((each) => nameOf(each)),
    ...ended.map((each) => `${nameOf(each)}, ${each.status === 'GOAL_REACHED' ? 'goal reached' : 'exited'}`),
    ...alreadyEnrolled.map((each) => `${nameOf(each)}, already in it`),
    ...refused.map((each) => `${nameOf(each)}, ${REFUSALS[each.rule]}`),
  ]
  return parts.length === 0 ? 'No automation used it' : parts.join('; ')
}
