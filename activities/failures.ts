import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/activity'
import type { ActivityDependencies } from './dependencies.ts'

/**
 * Reduces errors to their name and code before they are written to a history: the message can repeat a statement's values, which
 * can be a contact's data. The log has more, as far as logging rules allow.
 */
export function withPlainFailures<
  Activities extends { [name in keyof Activities]: (input: never) => Promise<unknown> },
>(activities: Activities, { log }: Pick<ActivityDependencies, 'log'>): Activities {
  const plain =
    (name: string, run: (input: never) => Promise<unknown>) =>
    async (input: never): Promise<unknown> => {
      try {
        return await run(input)
      } catch (error) {
        if (isTemporals(error)) throw error
        log.warn({ error, activity: name }, 'Activity failed')
        const { name: type = 'Error', code } = error as { name?: string; code?: unknown }
        const which = typeof code === 'string' ? `${type} ${code}` : type
        throw ApplicationFailure.create({ message: `${which}; see the worker's log`, type })
      }
    }
  const entries = Object.entries<(input: never) => Promise<unknown>>(activities)
  return Object.fromEntries(entries.map(([name, run]) => [name, plain(name, run)])) as Activities
}

const isTemporals = (error: unknown): boolean =>
  error instanceof ApplicationFailure || error instanceof CancelledFailure || error instanceof CompleteAsyncError
