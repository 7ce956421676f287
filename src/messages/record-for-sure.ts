import { setTimeout as delay } from 'node:timers/promises'
import { classifyDatabaseError, isPassing } from '../platform/db/errors.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'
import { recordOutcome, type Content, type Outcome } from './record-queries.ts'

/**
 * Records an outcome, against every error that can pass: only this process knows whether the message was handed over. What
 * can't be stored is left out, and the outcome still is.
 */
export async function recordForSure(
  { em, log }: { em: EntityManager; log: Log },
  message: { id: string; claim: string },
  outcome: Outcome,
  content: Content | undefined,
): Promise<void> {
  try {
    await untilDone(() => recordOutcome(em.fork(), message, outcome, content))
  } catch (error) {
    log.error({ error, messageId: message.id }, 'What was sent cannot be stored; its outcome is')
    const bare = 'error' in outcome ? { ...outcome, error: 'It cannot be stored' } : { ...outcome, response: null }
    await untilDone(() => recordOutcome(em.fork(), message, bare, undefined))
  }
}

/** The longest pause between two tries, in milliseconds. */
const LONGEST_PAUSE_MS = 5_000

/** Repeats a statement until it is done, or until its error says that repeating will not help. */
export async function untilDone<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let pause = 50; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await run()
    } catch (error) {
      if (classifyDatabaseError(error) === 'refuse' || !isPassing(error)) throw error
      await delay(pause)
    }
  }
}
