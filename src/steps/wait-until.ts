import type { StepResult, StoredStep } from '../automation-engine/index.ts'
import { readPath } from '../platform/json-path.ts'
import { dateIn, zoneOfContact } from '../platform/time-zone.ts'
import { type FinishedRun, finishRun, type StepContext } from './queries.ts'
import type { RunStep } from './runner.ts'
import { instantOfTarget } from './target-time.ts'

type StoredWaitUntil = Extract<StoredStep, { type: 'WAIT_UNTIL' }>

/** Computes the end of a WAIT_UNTIL. It is computed once: a later change of the contact does not move it. */
export const waitUntil: RunStep<StoredWaitUntil> = ({ em }, context, time) =>
  finishRun(em.fork(), context, endOfWait(context, time))

/** Returns when a WAIT_UNTIL ends that begins at a time. */
export function endOfWait(
  context: StepContext & { step: StoredWaitUntil },
  { now, clock }: Parameters<RunStep<StoredWaitUntil>>[2],
): FinishedRun {
  const { step } = context
  const { target, zone, isPast } = endOfWaitUntil(step, context, clock)
  const result: StepResult = !isPast
    ? { next: 'wait', until: target!.getTime() - (clock.getTime() - now.getTime()) }
    : step.ifPast === 'exit'
      ? { next: 'end', status: 'EXITED' }
      : { next: 'continue' }
  return { result, detail: { until: target?.toISOString() ?? null, timezone: zone } }
}

/** The facts on which the end of a WAIT_UNTIL depends. */
export type WaitUntilContext = Pick<StepContext, 'timezone'> & {
  contact: Pick<StepContext['contact'], 'metadata' | 'createdAt'>
  event: { data: unknown } | null
}

/** Returns when a WAIT_UNTIL ends that a contact reaches at `clock`. `target` is `null` if its field has no date. */
export function endOfWaitUntil(
  step: StoredWaitUntil,
  context: WaitUntilContext,
  clock: Date,
): { target: Date | null; zone: string; isPast: boolean } {
  const zone = zoneOf(step, context)
  const { field } = step.until
  const date = field === undefined ? null : dateOf(field, zone, context)
  const target = instantOfTarget(step.until, { zone, now: clock, date })
  return { target, zone, isPast: target === null || target.getTime() <= clock.getTime() }
}

function zoneOf({ timezone }: StoredWaitUntil, { contact, timezone: fallback }: WaitUntilContext): string {
  return timezone === 'contact' ? zoneOfContact(contact.metadata, fallback) : timezone
}

/** The date in a field; `null` if there is none. */
function dateOf(field: string, zone: string, { contact, event }: WaitUntilContext): Date | null {
  if (field === 'contact.createdAt') return contact.createdAt
  const metadata = /^contact\.metadata\.(.*)$/s.exec(field)
  if (metadata) return dateIn(contact.metadata[metadata[1]!], zone)
  return dateIn(readPath(event?.data, field.replace(/^event\.data\./, '')), zone)
}
