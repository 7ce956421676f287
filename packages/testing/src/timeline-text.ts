import { ELSE, RECEIVED, type StoredStep, TIMED_OUT } from '../../../src/automation-engine/index.ts'
import { zoneOfContact } from '../../../src/platform/time-zone.ts'
import type { AppliedChange } from '../../../src/contacts/index.ts'
import type { RehearsedContact, Refusal, TimelineEntry } from '../../../src/rehearsal/index.ts'
import type { Definitions } from './definitions.ts'
import type { TestedEnrollment } from './tested-enrollment.ts'

const WIDTH = 10

/** Describes enrollments as text: a header, then a line for each entry. The same course is always the same text. */
export function describeTimeline(
  enrollments: readonly TestedEnrollment[],
  of: { definitions: Definitions; contact: RehearsedContact; automation: string },
): string {
  const { definitions, contact, automation } = of
  const zone = zoneOfContact(contact.metadata, definitions.timezone)
  const lines = enrollments.flatMap((enrollment) =>
    new Describer(enrollment, definitions, zone)
      .lines()
      .map(({ at, what, detail }) => `${timeIn(zone, at)}  ${what.padEnd(WIDTH)} ${detail}`.trimEnd()),
  )
  return [`${automation} for ${contact.email} (${zone})`, ...lines, ''].join('\n')
}

interface Line {
  at: number
  what: string
  detail: string
}

class Describer {
  private readonly enrollment: TestedEnrollment
  private readonly definitions: Definitions
  private readonly zone: string
  private emails = 0

  constructor(enrollment: TestedEnrollment, definitions: Definitions, zone: string) {
    this.enrollment = enrollment
    this.definitions = definitions
    this.zone = zone
  }

  lines(): Line[] {
    return this.enrollment.course.timeline.flatMap((entry) => {
      const line = this.describe(entry)
      return line ? [{ at: entry.at, what: line[0], detail: line[1] ?? '' }] : []
    })
  }

  private describe(entry: TimelineEntry): [what: string, detail?: string] | undefined {
    switch (entry.type) {
      case 'ENTERED':
        return ['Entered']
      case 'REFUSED':
        return ['Refused', REFUSALS[entry.rule]]
      case 'EMAIL':
        return this.describeEmail(entry)
      case 'WAIT': {
        const step = this.stepOf(entry.stepId)
        const what = step.type === 'WAIT_FOR_EVENT' ? `for ${step.eventName}, ` : ''
        return ['Wait', `${what}until ${timeIn(this.zone, entry.until)}`]
      }
      case 'BRANCH':
        return ['Branch', branchName(this.stepOf(entry.stepId), entry.branch)]
      case 'CHANGE':
        return ['Change', this.describeChange(this.enrollment.changeOf(entry.stepId))]
      case 'WEBHOOK': {
        const step = this.stepOf(entry.stepId)
        return ['Webhook', step.type === 'WEBHOOK' ? `${step.method} ${step.url}` : '']
      }
      case 'EVENT':
        return ['Event', entry.name]
      case 'ENDED':
        return [ENDS[entry.status], entry.rule ? describeRule(entry.rule) : '']
      case 'UNFINISHED':
        return undefined
    }
  }

  private describeEmail({ stepId, suppressedBy }: Extract<TimelineEntry, { type: 'EMAIL' }>): [string, string] {
    const { name } = this.stepOf(stepId)
    const { subject } = this.enrollment.automation.rehearsable.emails.get(stepId)!
    if (suppressedBy !== null) return ['Not sent', `${name ?? subject} (${inWords(suppressedBy)})`]
    this.emails += 1
    return ['Email', this.enrollment.emails[this.emails - 1]!.subject]
  }

  private describeChange({ set = {}, addTags, removeTags, addToLists, removeFromLists }: AppliedChange): string {
    const named = (ids: readonly string[] = []) => ids.map((id) => this.definitions.lists.get(id)!)
    const { firstName, metadata = {} } = set
    const values = { ...(firstName !== undefined && { firstName }), ...metadata }
    const parts: [verb: string, values: readonly string[]][] = [
      ['set', Object.entries(values).map(([key, value]) => `${key}=${JSON.stringify(value)}`)],
      ['add tags', addTags ?? []],
      ['remove tags', removeTags ?? []],
      ['add to lists', named(addToLists)],
      ['remove from lists', named(removeFromLists)],
    ]
    return parts.flatMap(([verb, each]) => (each.length === 0 ? [] : `${verb} ${each.join(', ')}`)).join('; ')
  }

  private stepOf(stepId: string): StoredStep {
    return this.enrollment.automation.rehearsable.steps.find(({ id }) => id === stepId)!
  }
}

function branchName(step: StoredStep, branch: string): string {
  if (branch === ELSE) return 'else'
  if (branch === RECEIVED) return 'received'
  if (branch === TIMED_OUT) return 'timed out'
  return 'branches' in step ? step.branches[Number(branch)]!.name : branch
}

const REFUSALS: Readonly<Record<Refusal, string>> = {
  FILTER: 'by the filter',
  REENTRY: 'has been in the automation before',
  KEY: 'the event has no concurrency key',
  ALREADY_ENROLLED: 'is in the automation already',
}

type Ended = Extract<TimelineEntry, { type: 'ENDED' }>

const ENDS: Readonly<Record<Ended['status'], string>> = {
  COMPLETED: 'Completed',
  EXITED: 'Exited',
  GOAL_REACHED: 'Goal',
  STOPPED: 'Stopped',
  CANCELLED: 'Cancelled',
}

function describeRule(rule: NonNullable<Ended['rule']>): string {
  if ('eventName' in rule) return `by ${rule.eventName}`
  return 'condition' in rule ? 'by a condition' : 'by an opt-out'
}

const inWords = (code: string): string => code.toLowerCase().replaceAll('_', ' ')

/** Formats a time: `2027-03-01 09:00`. */
function timeIn(zone: string, at: number): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  return format.format(at)
}
