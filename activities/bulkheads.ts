import { activityInfo, ApplicationFailure } from '@temporalio/activity'
import { createBulkhead, within } from '../src/platform/bulkhead.ts'
import { Recent } from '../src/platform/recent.ts'

/** How many statements of one automation's bookkeeping run at a time: fewer than a worker has connections. */
const AT_A_TIME = 4

/** How long a local activity may wait and work, in milliseconds: it keeps a slot that everybody needs. */
const PATIENCE_MS = 1_000

/** How long an automation whose bookkeeping was slow is not tried in a local activity, in milliseconds. */
const SLOW_FOR_MS = 10_000
/** How many of them are remembered: to forget one costs a second. */
const REMEMBERED = 1_000

/**
 * Keeps automations apart: one whose rows are locked, say, uses up neither the connections nor the slots of the others. What
 * is slow fails in its local activity, within a second, and goes on in a normal one.
 */
export function createBulkheads() {
  const inTurn = createBulkhead(AT_A_TIME)
  const slowOnes = new Recent(REMEMBERED, SLOW_FOR_MS)

  return async function keptApart<Result>(automationId: string, run: () => Promise<Result>): Promise<Result> {
    if (!activityInfo().isLocal) return inTurn(automationId, run)
    const slow = () => ApplicationFailure.nonRetryable('It takes longer, and goes on in an activity of its own', 'Slow')
    if (slowOnes.has(automationId)) throw slow()
    return within(PATIENCE_MS, inTurn(automationId, run), () => {
      slowOnes.note(automationId)
      return slow()
    })
  }
}

/** Lets in so many of one key at a time, and turns away whoever comes besides. */
export function createTurnstile(atATime: number) {
  const inside = new Map<string, number>()
  return async function pass<Result>(
    key: string,
    run: () => Promise<Result>,
    turnedAway: () => Result,
  ): Promise<Result> {
    const count = inside.get(key) ?? 0
    if (count >= atATime) return turnedAway()
    inside.set(key, count + 1)
    try {
      return await run()
    } finally {
      const left = (inside.get(key) ?? 1) - 1
      if (left === 0) inside.delete(key)
      else inside.set(key, left)
    }
  }
}

/**
 * How long somebody who was turned away is waited for, in milliseconds, before the next one is let in: little more than the time in which one asks
 * again whom nothing keeps. Whoever comes later than that is no reason to keep a place empty.
 */
const FORGOTTEN_MS = 3_000

/**
 * Lets in so many of one key at a time, in turns: whoever was turned away is let in before those who come back, when they ask again. Nobody
 * waits inside, where they would take room from others.
 *
 * @param now a clock, in milliseconds
 */
export function createRounds(atATime: number, now: () => number = Date.now) {
  const rooms = new Map<string, { inside: number; waiting: Map<string, number> }>()
  return async function pass<Result>(
    key: string,
    who: string,
    run: () => Promise<Result>,
    turnedAway: () => Result,
  ): Promise<Result> {
    const room = rooms.get(key) ?? { inside: 0, waiting: new Map<string, number>() }
    rooms.set(key, room)
    for (const [other, at] of room.waiting) if (now() - at > FORGOTTEN_MS) room.waiting.delete(other)
    const before = [...room.waiting.keys()].indexOf(who)
    const ahead = before < 0 ? room.waiting.size : before
    if (room.inside + ahead >= atATime) {
      // Who waits keeps the place, and has been heard of.
      room.waiting.set(who, now())
      return turnedAway()
    }
    room.waiting.delete(who)
    room.inside += 1
    try {
      return await run()
    } finally {
      room.inside -= 1
      if (room.inside === 0 && room.waiting.size === 0) rooms.delete(key)
    }
  }
}
