import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/activity'
import type { ActivityDependencies } from './dependencies.ts'

/**
 * Lets nothing of an error into a history but its name and code: its text can repeat a statement's values, which can be a
 * contact's. The log says the rest, as much as a log may.
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
        log.warn({ error, activity: name }, 'An activity failed')
        const { name: type = 'Error', code } = error as { name?: string; code?: unknown }
        const which = typeof code === 'string' ? `${type} ${code}` : type
        throw ApplicationFailure.create({ message: `${which}; the log of the worker says more`, type })
      }
    }
  const entries = Object.entries<(input: never) => Promise<unknown>>(activities)
  return Object.fromEntries(entries.map(([name, run]) => [name, plain(name, run)])) as Activities
}

const isTemporals = (error: unknown): boolean =>
  error instanceof ApplicationFailure || error instanceof CancelledFailure || error instanceof CompleteAsyncError
