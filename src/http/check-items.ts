import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '../platform/api-error.ts'

/** The maximum length of the error for one item. A bulk request can have a thousand of them. */
const MAX_ITEM_ERROR = 300

/** Milliseconds of validation before the event loop gets a turn. */
const TURN_MS = 10

const shorten = (text: string, max: number) => (text.length > max ? `${text.slice(0, max)}…` : text)

/**
 * Validates the items of a bulk request one by one, so that an invalid one does not affect the others.
 *
 * @param check throws an {@link ApiError} for an invalid item
 * @returns the valid items and the errors of the others, each with its index
 */
export async function checkItems<Input>(items: readonly unknown[], check: (item: unknown) => Input) {
  const inputs: { index: number; input: Input }[] = []
  const errors: { index: number; error: string }[] = []
  let turn = performance.now()
  for (const [index, item] of items.entries()) {
    if (performance.now() - turn > TURN_MS) {
      await nextTurn()
      turn = performance.now()
    }
    try {
      inputs.push({ index, input: check(item) })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      errors.push({ index, error: shorten(error.message, MAX_ITEM_ERROR) })
    }
  }
  return { inputs, errors }
}
