import type { Schemas } from '../../api/client.ts'
import { draftOf, type AutomationDraft } from '../builder/draft.ts'
import { type LoadedAutomation, publishBodyOf } from '../builder/load-automation.ts'

type RehearsalInput = Schemas['RehearsalInput']

/** An event that a contact is supposed to have. */
export interface SupposedEvent {
  eventName: string
  /** Days after the contact enters. */
  days: number
  /** The share of an audience who have it, in percent. A contact who is rehearsed alone always has it. */
  percent: number
  data: Readonly<Record<string, string>>
}

/** The events that a contact is supposed to have. */
export interface Supposed {
  /** The data of the event that enrolls the contact. */
  data: SupposedEvent['data']
  /** The events after that. */
  events: readonly SupposedEvent[]
}

export const NOTHING_SUPPOSED: Supposed = { data: {}, events: [] }

/** The length of the rehearsed period: a year. */
export const DAYS = 366
const MINUTES_OF_DAY = 1_440

/** Numbers, `true` and `false` are sent as such, so that conditions can compare them. */
function valueOf(text: string): unknown {
  const isPlain = /^(-?\d+(\.\d+)?|true|false)$/.test(text.trim())
  return isPlain ? (JSON.parse(text) as unknown) : text
}

const valuesOf = (data: SupposedEvent['data']) =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, valueOf(text)])) as never

/** The contact or the audience for whom an automation is rehearsed. */
export type RehearsedFor = 'contact' | 'audience'

/** The enrolling event and the events whose name is entered, as the API takes them. */
export const supposedBodyOf = (
  { data, events }: Supposed,
  rehearsedFor: RehearsedFor,
): Required<Pick<RehearsalInput, 'data' | 'events'>> => ({
  data: valuesOf(data),
  events: events
    .filter(({ eventName }) => eventName.trim() !== '')
    .map((event) => ({
      eventName: event.eventName.trim(),
      afterMinutes: event.days * MINUTES_OF_DAY,
      ...(rehearsedFor === 'audience' && { share: event.percent / 100 }),
      data: valuesOf(event.data),
    })),
})

/** The rehearsed automation: the draft, or the current version. */
export interface Rehearsed {
  /** Such as "Draft" or "Version 3". */
  name: string
  /** The time at which the draft was saved; `undefined` for a version. */
  savedAt: string | undefined
  sequence: AutomationDraft
  /** The current version, which the draft is compared with. */
  current: AutomationDraft
  version: number
  /** The name of the event that enrolls contacts, if it is an event. */
  enrolledBy: string | undefined
}

/** Returns the draft if there is one, else the current version. */
export const rehearsedOf = ({ automation, draft, sequence }: LoadedAutomation): Rehearsed => ({
  name: draft ? 'Draft' : `Version ${automation.version}`,
  savedAt: draft?.savedAt,
  sequence,
  current: draftOf(automation),
  version: automation.version,
  // The trigger of a draft is not rehearsed.
  enrolledBy: eventOf(automation),
})

/** Returns the current version, although there is a draft. */
export const currentVersionOf = (loaded: LoadedAutomation): Rehearsed =>
  rehearsedOf({ ...loaded, draft: undefined, sequence: draftOf(loaded.automation) })

function eventOf({ trigger, triggerConfig: { eventName } }: LoadedAutomation['automation']): string | undefined {
  return trigger === 'EVENT' && typeof eventName === 'string' ? eventName : undefined
}

/** The version or the unpublished changes, as the API takes them. */
export function contentOf({
  savedAt,
  version,
  sequence,
}: Rehearsed): Pick<RehearsalInput, 'version' | 'steps' | 'entry' | 'exitOn' | 'goal'> {
  if (savedAt === undefined) return { version }
  const { steps, entry, exitOn, goal } = publishBodyOf(sequence)
  return { steps, entry, exitOn, goal } as ReturnType<typeof contentOf>
}

/** Returns whether a rehearsal is one of the automation as it is now. */
export const isCurrent = (
  rehearsal: Pick<Schemas['Rehearsal'], 'version' | 'createdAt'>,
  { savedAt, version }: Rehearsed,
): boolean =>
  savedAt === undefined ? rehearsal.version === version : rehearsal.version === null && savedAt <= rehearsal.createdAt
