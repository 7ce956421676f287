import { setTimeout as delay } from 'node:timers/promises'
import { type DriplineClient, DriplineError, type Schemas } from '@dripline/client'
import { bodyOf } from './apply.ts'
import type { Change, Plan } from './plan.ts'
import { namesOf, readBound } from './state.ts'

const POLL_MS = 500
/** Milliseconds without progress after which the command no longer waits. */
const MAX_STILL_MS = 120_000
const REHEARSED = ['steps', 'entry', 'exitOn', 'goal'] as const
const CHANGES_COURSE = /^(?:steps|entry|exitOn|goal)\b/

/** Adds to the changes of automations what a rehearsal for all contacts finds. Nothing is sent or changed. */
export async function addRehearsals(dripline: DriplineClient, plan: Plan): Promise<void> {
  const changes = plan.changes.filter(
    ({ action, kind, differences }) =>
      action === 'update' && kind === 'automations' && differences.some(({ field }) => CHANGES_COURSE.test(field)),
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

/** The rule that keeps most contacts out. */
function refusal(refused: Schemas['Rehearsal']['refused']): string {
  const [most] = refused.toSorted((a, b) => b.contacts - a.contacts)
  return most ? `, most of them because of the rule ${most.rule}` : ''
}

function describe({ status, done, entered, emails, refused, current, problem }: Schemas['Rehearsal']): string {
  if (status !== 'DONE') return `It was not rehearsed: ${problem ?? 'the rehearsal was cancelled'}`
  if (entered === 0) return `Rehearsed for ${number(done)} contacts: none would enter${refusal(refused)}.`
  const differences = (current?.differences ?? []).filter(({ difference }) => difference !== 0)
  const said = differences.map(({ difference, contacts }) => {
    const more = `${number(Math.abs(difference))} ${Math.abs(difference) === 1 ? 'email' : 'emails'}`
    return `${number(contacts)} would get ${more} ${difference > 0 ? 'more' : 'fewer'}`
  })
  const compared = said.length === 0 ? 'as many as now' : said.join(', ')
  return `Rehearsed for ${number(done)} contacts: ${number(entered)} would enter, and get ${number(emails)} emails: ${compared}.`
}

const number = (value: number): string => value.toLocaleString('en-US')
