import { setTimeout as delay } from 'node:timers/promises'
import { type DriplineClient, DriplineError, type Schemas } from '@dripline/client'
import { bodyOf } from './apply.ts'
import type { Change, Plan } from './change.ts'
import { namesOf, readBound } from './state.ts'

const POLL_MS = 500
/** Milliseconds without progress after which the command no longer waits. */
const MAX_STILL_MS = 120_000
const REHEARSED = ['steps', 'entry', 'exitOn', 'goal'] as const
const CHANGES_COURSE = /^(?:steps|entry|exitOn|goal)\b/

const changesCourse = ({ field, after }: Change['differences'][number]): boolean =>
  CHANGES_COURSE.test(field) || (field === 'status' && after === 'ACTIVE')

/** Adds to the changes of automations what a rehearsal for all contacts finds. Nothing is sent or changed. */
export async function addRehearsals(dripline: DriplineClient, plan: Plan): Promise<void> {
  const changes = plan.changes.filter(
    (change) => change.action === 'update' && change.kind === 'automations' && change.differences.some(changesCourse),
  )
  // One after the other: few rehearsals of a workspace may run at a time.
  for (const change of changes) change.effects.push(await rehearse(dripline, plan, change))
}

async function rehearse(dripline: DriplineClient, { state }: Plan, { file, remote }: Change): Promise<string> {
  // Secrets stay hidden, because a rehearsal calls no webhook.
  const { content } = readBound(state, file!, namesOf(state))
  const body = bodyOf(file!, content)
  try {
    const begun = await dripline.automations.rehearse(
      remote!.id,
      Object.fromEntries(REHEARSED.map((name) => [name, body[name]])),
    )
    let rehearsal = begun as Schemas['Rehearsal']
    for (let since = Date.now(); rehearsal.status === 'RUNNING';) {
      await delay(POLL_MS)
      const before = rehearsal.done
      rehearsal = await dripline.rehearsals.get(rehearsal.id)
      if (rehearsal.done > before) since = Date.now()
      if (Date.now() - since > MAX_STILL_MS) return 'It was not rehearsed: no worker continues the rehearsal.'
    }
    return describe(rehearsal)
  } catch (error) {
    if (error instanceof DriplineError && error.status !== undefined && error.status < 500)
      return `It was not rehearsed: ${error.message}`
    throw error
  }
}

/** Why contacts do not enter. The API has these as codes. */
const REASONS: Record<string, string> = {
  FILTER: 'they do not match the entry filter',
  REENTRY: 'the re-entry rule does not allow it',
  KEY: 'the event has no value for the concurrency key',
  ALREADY_ENROLLED: 'they are in the automation already',
  NOT_TRIGGERED: 'nothing would start it for them',
}

/** The reason that keeps most contacts out. */
function refusal(refused: Schemas['Rehearsal']['refused']): string {
  const [most] = refused.toSorted((a, b) => b.contacts - a.contacts)
  return most ? `, ${refused.length > 1 ? 'mostly ' : ''}because ${REASONS[most.rule] ?? most.rule}` : ''
}

type Result = Pick<Schemas['Rehearsal'], 'status' | 'done' | 'entered' | 'emails' | 'refused' | 'current' | 'problem'>

/** Describes the result of a rehearsal. */
export function describe({ status, done, entered, emails, refused, current, problem }: Result): string {
  if (status !== 'DONE') return `It was not rehearsed: ${problem ?? 'the rehearsal was cancelled'}`
  const enter =
    entered === 0
      ? `none would enter${refusal(refused)}`
      : `${number(entered)} would enter and get ${plural(emails, 'email')}`
  return `Rehearsed for ${plural(done, 'contact')}: ${enter}.${current ? comparison(current.differences) : ''}`
}

/** Compares the emails of those who enter this or the current version. */
function comparison(differences: NonNullable<Result['current']>['differences']): string {
  if (differences.length === 0) return ''
  const changed = differences.filter(({ difference }) => difference !== 0)
  if (changed.length === 0) return ' All would get the same number of emails as in the current version.'
  const each = changed.map(({ difference, contacts }) => {
    const word = difference > 0 ? 'more' : 'fewer'
    return `${number(contacts)} would get ${plural(Math.abs(difference), `${word} email`)}`
  })
  return ` Compared with the current version, ${each.join(', ')}.`
}

const plural = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? '' : 's'}`

const number = (value: number): string => value.toLocaleString('en-US')
