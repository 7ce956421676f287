import type { TablerIcon } from '@tabler/icons-react'
import {
  IconBolt,
  IconChecks,
  IconDoorOff,
  IconHourglass,
  IconLogout,
  IconMailOff,
  IconPlayerPlay,
  IconTargetArrow,
} from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'
import type { Names } from '../../components/conditions/describe-condition.ts'
import { duration } from '../../lib/format.ts'
import { wallDay, wallMinute, wallTime } from '../../lib/wall-time.ts'
import { actionOf, leaveRuleText, titleOf } from '../builder/describe-step.ts'
import type { ExitRule } from '../builder/draft.ts'
import { branchesOf, type TreeIndex } from '../builder/step-tree.ts'
import { STEP_TYPES } from '../builder/step-types.ts'
import type { Step } from '../builder/steps.ts'
import { notEnrolledText, withBranch, withoutSending } from './labels.ts'

export type Rendered = Schemas['ContactRehearsal']['rendered'][number]
type Entry = Schemas['RehearsedEntry']

/** Something that happens to the contact, with the waits that follow. */
export interface Item {
  entry: Entry
  /** The time on clocks in the contact's time zone. */
  at: Date
  title: string
  /** The waits after it: "then waits 14 days". */
  then: string | undefined
  icon: TablerIcon
  /** A color class of base.css. */
  tone: string
  /** It is an email that is sent. */
  isMessage: boolean
  /** The event that the contact waits for afterwards. */
  waitsFor: string | undefined
  /** The name of the branch that a decision chose. */
  branch: string | undefined
}

/** The facts that sentences about a timeline need. */
export interface Script {
  tree: TreeIndex
  names: Names
  /** The time zone of the contact. */
  zone: string
  /** The emails as the contact would get them. */
  rendered: readonly Rendered[]
}

/** Describes a timeline. A wait is a part of what comes before it. */
export function itemsOf(timeline: readonly Entry[], script: Script): Item[] {
  const items: Item[] = []
  for (const entry of timeline) {
    const last = items.at(-1)
    if (entry.type === 'WAIT' && last) {
      const text = waitText(entry, script)
      last.then = last.then === undefined ? `then ${text}` : `${last.then}, then ${text}`
      last.waitsFor = awaitedBy(stepOf(entry, script)) ?? last.waitsFor
    } else if (!isRepeated(entry, last, script)) items.push(itemOf(entry, script))
  }
  return items
}

const stepOf = ({ stepId }: Entry, { tree }: Script): Step | undefined =>
  stepId === null ? undefined : tree.find(stepId)?.step

const awaitedBy = (step: Step | undefined): string | undefined =>
  step?.type === 'WAIT_FOR_EVENT' ? step.eventName : undefined

/** An event ends the wait for it: one line is enough. */
const isRepeated = (entry: Entry, last: Item | undefined, script: Script): boolean =>
  entry.branch === 'received' && last?.entry.type === 'EVENT' && stepOf(entry, script) !== undefined

function waitText(entry: Entry, script: Script): string {
  const step = stepOf(entry, script)
  if (step?.type === 'WAIT') return `waits ${duration(step.delayMinutes)}`
  if (step?.type === 'WAIT_FOR_EVENT') return `waits for ${step.eventName}, at most ${duration(step.timeoutMinutes)}`
  const until = wallTime(entry.until!, script.zone)
  return `waits until ${wallDay(until)}, ${wallMinute(until)}`
}

function itemOf(entry: Entry, script: Script): Item {
  const at = wallTime(entry.at, script.zone)
  const isMessage = entry.type === 'EMAIL' && entry.suppressedBy === null
  const step = stepOf(entry, script)
  const branch = entry.branch !== null && step ? branchName(step, entry.branch) : undefined
  const of = { entry, at, then: undefined, waitsFor: undefined, isMessage, branch }
  return { ...of, title: titleOfEntry(entry, script), ...lookOf(entry, step) }
}

/** The email of an entry as the contact would get it, unless it is not sent or one of too many. */
export const renderedOf = ({ stepId, at }: Entry, rendered: readonly Rendered[]) =>
  rendered.find((email) => email.stepId === stepId && email.at === at)

function titleOfEntry(entry: Entry, script: Script): string {
  const step = stepOf(entry, script)
  const name = step ? titleOf(step, script.names) : 'Deleted step'
  switch (entry.type) {
    case 'ENTERED':
      return 'Enrolled'
    case 'REFUSED':
      return `Not enrolled: ${notEnrolledText(entry.rule!) ?? entry.rule}`
    case 'EMAIL':
      if (entry.suppressedBy === null) return step?.name ?? renderedOf(entry, script.rendered)?.subject ?? name
      return withoutSending(name, entry.suppressedBy)
    case 'BRANCH':
      return step ? branchText(step, entry.branch!, script.names) : name
    case 'CHANGE':
    case 'WEBHOOK':
      return step ? actionOf(step, script.names) : name
    case 'EVENT':
      return `Received ${entry.eventName}`
    case 'WAIT':
      return waitText(entry, script)
    case 'ENDED':
      return endText(entry, script.names)
    case 'UNFINISHED':
      return 'Still enrolled'
  }
}

function branchText(step: Step, key: string, names: Names): string {
  if (step.type === 'WAIT_FOR_EVENT')
    return key === 'received' ? `Received ${step.eventName} before` : `Did not receive ${step.eventName}`
  const action = step.name === null ? actionOf(step, names) : step.name
  return withBranch(action, branchName(step, key))
}

const branchName = (step: Step, key: string): string =>
  branchesOf(step).find((branch) => branch.key === key)?.name ?? key

const ENDS: Record<string, string> = {
  COMPLETED: 'Completes',
  EXITED: 'Exits',
  GOAL_REACHED: 'Reaches the goal',
  STOPPED: 'Stops',
  CANCELLED: 'Is cancelled',
}

function endText({ status, leftBy }: Entry, names: Names): string {
  const end = ENDS[status!] ?? status!
  return leftBy === null ? end : `${end}: ${leaveRuleText(leftBy as unknown as ExitRule, names)}`
}

function lookOf(entry: Entry, step: Step | undefined): Pick<Item, 'icon' | 'tone'> {
  switch (entry.type) {
    case 'ENTERED':
      return { icon: IconPlayerPlay, tone: 'accent' }
    case 'REFUSED':
      return { icon: IconDoorOff, tone: 'warn' }
    case 'EVENT':
      return { icon: IconBolt, tone: 'mute' }
    case 'UNFINISHED':
      return { icon: IconHourglass, tone: 'mute' }
    case 'ENDED':
      return entry.status === 'GOAL_REACHED'
        ? { icon: IconTargetArrow, tone: 'ok' }
        : entry.status === 'COMPLETED'
          ? { icon: IconChecks, tone: 'ok' }
          : { icon: IconLogout, tone: 'mute' }
    case 'EMAIL':
      if (entry.suppressedBy !== null) return { icon: IconMailOff, tone: 'mute' }
      return STEP_TYPES.EMAIL
    case 'WAIT':
    case 'BRANCH':
    case 'CHANGE':
    case 'WEBHOOK':
      return step ? STEP_TYPES[step.type] : { icon: IconHourglass, tone: 'mute' }
  }
}
