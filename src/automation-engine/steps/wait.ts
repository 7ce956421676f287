import { wait as waitUntil } from '../machine-state.ts'
import type { EngineStepType } from './step-type.ts'

export interface WaitOutline {
  id: string
  type: 'WAIT'
  delayMinutes: number
}

/** Maximum delay: ten years, in minutes. */
export const MAX_DELAY_MINUTES = 10 * 366 * 24 * 60

/** Waits for `delayMinutes` minutes. */
export const wait: EngineStepType<WaitOutline, WaitOutline> = {
  outlineOf: ({ id, type, delayMinutes }) => ({ id, type, delayMinutes }),
  describe: ({ delayMinutes }) => `WAIT ${describeDelay(delayMinutes)}`,
  enter: ({ id, delayMinutes }, { position, state, now }) =>
    waitUntil(state, id, position, now + delayMinutes * 60_000),
}

const UNITS = [
  ['day', 24 * 60],
  ['hour', 60],
  ['minute', 1],
] as const

/** Formats a delay for operators: `describeDelay(1500)` is "1 day 1 hour". */
export function describeDelay(minutes: number): string {
  const words: string[] = []
  let rest = minutes
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) words.push(`${count} ${unit}${count === 1 ? '' : 's'}`)
  }
  return words.join(' ') || '0 minutes'
}
