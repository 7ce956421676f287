import type { RehearsedCourse } from './rehearse-contact.ts'
import type { TimelineEntry } from './timeline.ts'

/** Numbers of contacts or emails, by a name. */
type Counts = Record<string, number>

/** The result of a rehearsal for all contacts. */
export interface Summary {
  entered: number
  /** Contacts who did not enter, by the rule; `NOT_TRIGGERED` if nothing in the replayed period would have started the automation. */
  refused: Counts
  emails: number
  /** Emails by day in UTC: `YYYY-MM-DD`. */
  days: Counts
  /** Emails by step. */
  steps: Counts
  /** Emails that are not sent, by the reason. */
  suppressed: Counts
  /** Contacts who took a branch, by the ID of the step and the branch, with a space between them. */
  branches: Counts
  /** Enrollments by their end: a status, or `UNFINISHED`. */
  ends: Counts
  /** Contacts who enter, by how many more emails they get than in the current version; `null` if nothing is compared. */
  differences: Counts | null
}

export const emptySummary = (isCompared: boolean): Summary => ({
  entered: 0,
  refused: {},
  emails: 0,
  days: {},
  steps: {},
  suppressed: {},
  branches: {},
  ends: {},
  differences: isCompared ? {} : null,
})

const add = (counts: Counts, name: string): void => void (counts[name] = (counts[name] ?? 0) + 1)

/** Adds what happened to a contact. @param inCurrent what would happen to them in the current version */
export function addCourse(summary: Summary, { timeline }: RehearsedCourse, inCurrent: RehearsedCourse | null): void {
  if (timeline.length === 0) add(summary.refused, 'NOT_TRIGGERED')
  if (hasEntered({ timeline })) summary.entered += 1
  else
    for (const rule of new Set(timeline.flatMap((entry) => (entry.type === 'REFUSED' ? entry.rule : []))))
      add(summary.refused, rule)
  const branches = timeline.flatMap((entry) => (entry.type === 'BRANCH' ? `${entry.stepId} ${entry.branch}` : []))
  for (const branch of new Set(branches)) add(summary.branches, branch)
  for (const entry of timeline) addEntry(summary, entry)
  const difference = differenceOf({ timeline }, inCurrent)
  if (summary.differences && difference !== null) add(summary.differences, String(difference))
}

function addEntry(summary: Summary, entry: TimelineEntry): void {
  switch (entry.type) {
    case 'EMAIL':
      if (entry.suppressedBy !== null) return add(summary.suppressed, entry.suppressedBy)
      summary.emails += 1
      add(summary.steps, entry.stepId)
      return add(summary.days, new Date(entry.at).toISOString().slice(0, 10))
    case 'ENDED':
      return add(summary.ends, entry.status)
    case 'UNFINISHED':
      return add(summary.ends, 'UNFINISHED')
    case 'REFUSED':
    case 'BRANCH':
    case 'ENTERED':
    case 'WAIT':
    case 'CHANGE':
    case 'WEBHOOK':
    case 'EVENT':
  }
}

/** The number of emails that are sent. */
export const emailsIn = ({ timeline }: Pick<RehearsedCourse, 'timeline'>): number =>
  timeline.filter((entry) => entry.type === 'EMAIL' && entry.suppressedBy === null).length

/** Returns how many more emails a contact gets than in the current version; `null` if they enter neither, or nothing is compared. */
export const differenceOf = (rehearsed: Course, inCurrent: Course | null): number | null =>
  inCurrent && (hasEntered(rehearsed) || hasEntered(inCurrent)) ? emailsIn(rehearsed) - emailsIn(inCurrent) : null

type Course = Pick<RehearsedCourse, 'timeline'>

const hasEntered = ({ timeline }: Course): boolean => timeline.some(({ type }) => type === 'ENTERED')

/** Returns the end for a contact: the rule of a refusal, a status, `UNFINISHED`, or `NOT_TRIGGERED`. */
export function outcomeOf({ timeline }: Pick<RehearsedCourse, 'timeline'>): string {
  const last = timeline.findLast(({ type }) => type !== 'REFUSED') ?? timeline.at(-1)
  if (!last) return 'NOT_TRIGGERED'
  return last.type === 'REFUSED' ? last.rule : last.type === 'ENDED' ? last.status : last.type
}
