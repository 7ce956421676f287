import { plural } from '../../lib/format.ts'
import { wallDate, wallMinute } from '../../lib/wall-time.ts'
import type { Check } from '../../primitives/Checklist.tsx'
import type { Item, Rendered } from './items.ts'
import { notSentText } from './labels.ts'

/** The first hour in which emails are welcome, and the first in which they are not. */
const MORNING = 8
const NIGHT = 21

/** Checks a timeline for what readers mind. Without an email, there is nothing to check. */
export function checksOf(items: readonly Item[], rendered: readonly Rendered[]): Check[] {
  const messages = items.filter(({ isMessage }) => isMessage)
  const suppressions = items.flatMap(({ entry }) => entry.suppressedBy ?? [])
  if (messages.length === 0) return suppressions.length === 0 ? [] : [sending(suppressions)]
  return [quietHours(messages), oneOnADay(messages), sending(suppressions), contents(rendered)]
}

const named = ({ title, at }: Item): string => `${title} on ${wallDate(at)} at ${wallMinute(at)}`

function quietHours(messages: readonly Item[]): Check {
  const late = messages.filter(({ at }) => at.getUTCHours() < MORNING || at.getUTCHours() >= NIGHT)
  const of = { id: 'quiet', name: 'Quiet hours' }
  if (late.length === 0)
    return { ...of, state: 'ok', fact: 'Nothing is sent between 21:00 and 08:00 in the contact’s zone.' }
  return { ...of, state: 'warning', fact: `Sent between 21:00 and 08:00: ${late.map(named).join(', ')}.` }
}

function oneOnADay(messages: readonly Item[]): Check {
  const crowded = [...Map.groupBy(messages, ({ at }) => at.toISOString().slice(0, 10)).values()].filter(
    ({ length }) => length > 1,
  )
  const of = { id: 'day', name: 'Emails per day' }
  if (crowded.length === 0) return { ...of, state: 'ok', fact: 'At most one email a day from this automation.' }
  const days = crowded.map((day) => `${plural(day.length, 'email')} on ${wallDate(day[0]!.at)}`)
  return { ...of, state: 'warning', fact: `${days.join(', ')}.` }
}

/** @param suppressions the reasons for which emails are not sent */
function sending(suppressions: readonly string[]): Check {
  const reasons = Map.groupBy(suppressions, (reason) => reason)
  const of = { id: 'sent', name: 'Sending' }
  if (reasons.size === 0) return { ...of, state: 'ok', fact: 'Every email is sent.' }
  const facts = [...reasons].map(([reason, { length }]) => `${plural(length, 'email')}: ${notSentText(reason)}.`)
  return { ...of, state: 'warning', fact: facts.join(' ') }
}

function contents(rendered: readonly Rendered[]): Check {
  const broken = rendered.filter(({ problem }) => problem !== null).length
  const of = { id: 'contents', name: 'Contents' }
  if (broken === 0) return { ...of, state: 'ok', fact: 'Every email can be rendered for this contact.' }
  return { ...of, state: 'error', fact: `${plural(broken, 'email')} cannot be rendered for this contact.` }
}
