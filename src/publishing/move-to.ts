import { isDeepStrictEqual } from 'node:util'
import { type EndStatus, enter, type MachineState, type StoredStep, successorOf } from '../automation-engine/index.ts'
import type { RemovedSteps } from './entities.ts'

/**
 * The effect of a move on an enrollment:
 * - stays: it stays at its step, and waits as long as before
 * - waits: it stays at its step, and its WAIT ends at another time
 * - reruns: it stays at its step, whose activity computes the wait again, now or when the automation is resumed
 * - continues: its step was removed, and it continues at a later one
 * - ends: its step was removed, and it ends
 */
export type Move =
  { kind: 'stays' | 'waits' | 'reruns' | 'continues'; state: MachineState } | { kind: 'ends'; status: EndStatus }

/**
 * Decides where an enrollment continues in another version. A step with the same ID and type is the same step.
 *
 * @param before the steps of the present version, which contain the step of the state
 * @param now milliseconds since 1970
 */
export function moveTo(
  before: readonly StoredStep[],
  after: readonly StoredStep[],
  state: MachineState,
  { removedSteps, now }: { removedSteps: RemovedSteps; now: number },
): Move {
  const position = before.findIndex(({ id }) => id === state.stepId)
  const step = before[position]
  if (!step) throw new Error(`The present version has no step ${state.stepId}`)
  const placeInAfter = (one: StoredStep) => after.findIndex(({ id, type }) => id === one.id && type === one.type)
  const kept = after[placeInAfter(step)]
  if (!kept) return removedSteps === 'END' ? { kind: 'ends', status: 'CANCELLED' } : skipRemoved()
  const isWaiting = state.waitingFor === 'time' || state.waitingFor === 'retry'
  if (step.type === 'WAIT' && kept.type === 'WAIT') {
    if (step.delayMinutes === kept.delayMinutes) return { kind: 'stays', state }
    const wakeAt = state.wakeAt! + (kept.delayMinutes - step.delayMinutes) * 60_000
    return { kind: 'waits', state: { ...state, wakeAt } }
  }
  if (isDeepStrictEqual(waitOf(step), waitOf(kept))) return { kind: 'stays', state }
  return {
    kind: 'reruns',
    state: isWaiting ? { ...state, waitingFor: 'step', wakeAt: null, changed: false } : state,
  }

  function skipRemoved(): Move {
    let next = successorOf(before, position)
    while (next < before.length && placeInAfter(before[next]!) === -1) next = successorOf(before, next)
    const to = next < before.length ? placeInAfter(before[next]!) : after.length
    const released = { ...state, wakeAt: null, paused: false, changed: false }
    const { state: reached, effects } = enter(after, to, released, now)
    const end = effects.find((effect) => effect.do === 'end')
    return end ? { kind: 'ends', status: end.status } : { kind: 'continues', state: reached }
  }
}

/** The part of a step that determines how long it waits, for a step whose activity computes that. */
function waitOf(step: StoredStep): object | null {
  if (step.type === 'WAIT_UNTIL') return { until: step.until, timezone: step.timezone, ifPast: step.ifPast }
  if (step.type !== 'WAIT_FOR_EVENT') return null
  return { eventName: step.eventName, filter: step.filter ?? null, timeoutMinutes: step.timeoutMinutes }
}
