import type { StepResult, StoredStep } from '../automation-engine/index.ts'
import { readPath } from '../platform/json-path.ts'
import { dateIn, zoneOfContact } from '../platform/time-zone.ts'
import { finishRun, type StepContext } from './queries.ts'
import type { RunStep } from './runner.ts'
import { instantOfTarget } from './target-time.ts'

type StoredWaitUntil = Extract<StoredStep, { type: 'WAIT_UNTIL' }>

/** Computes the end of a WAIT_UNTIL. It is computed once: a later change of the contact does not move it. */
export const waitUntil: RunStep<StoredWaitUntil> = async ({ em }, context, { now, clock }) => {
  const { step } = context
  const zone = zoneOf(step, context)
  const { field } = step.until
  const target = instantOfTarget(step.until, {
    zone,
    now: clock,
    date: field === undefined ? null : dateOf(field, zone, context),
  })
  const isPast = target === null || target.getTime() <= clock.getTime()
  const result: StepResult = !isPast
    ? { next: 'wait', until: target.getTime() - (clock.getTime() - now.getTime()) }
    : step.ifPast === 'exit'
      ? { next: 'end', status: 'EXITED' }
      : { next: 'continue' }
  return finishRun(em.fork(), context, { result, detail: { until: target?.toISOString() ?? null, timezone: zone } })
}

function zoneOf({ timezone }: StoredWaitUntil, { contact, timezone: fallback }: StepContext): string {
  return timezone === 'contact' ? zoneOfContact(contact.metadata, fallback) : timezone
}

/** The date in a field; `null` if there is none. */
function dateOf(field: string, zone: string, { contact, event }: StepContext): Date | null {
  if (field === 'contact.createdAt') return contact.createdAt
  const metadata = /^contact\.metadata\.(.*)$/s.exec(field)
  if (metadata) return dateIn(contact.metadata[metadata[1]!], zone)
  return dateIn(readPath(event?.data, field.replace(/^event\.data\./, '')), zone)
}
