import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { createBulkhead } from '../platform/bulkhead.ts'

/** How often it is asked whether a caller still may, in milliseconds. */
const ASK_MS = 1_000

/**
 * Makes answers that are read piece by piece. Each piece is made on behalf of its caller, as the answer was begun, and a workspace has one
 * made at a time: whoever asks for many of them, or reads slowly, takes no more of what all share than with one.
 */
export function createPieces() {
  const inTurn = createBulkhead(1)
  /** @param assertStill is asked now and then: the answer ends in the middle where it fails */
  return function inPieces(
    workspaceId: string,
    pieces: AsyncIterable<string>,
    assertStill: () => Promise<void>,
  ): Readable {
    const onBehalf = AsyncLocalStorage.snapshot()
    const from = pieces[Symbol.asyncIterator]()
    let askedAt = performance.now()
    const next = async () => {
      if (performance.now() - askedAt > ASK_MS) {
        await assertStill()
        askedAt = performance.now()
      }
      return from.next()
    }
    const inTheirTurns: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: () => inTurn(workspaceId, () => onBehalf(next)),
        return: async () => (await from.return?.()) ?? { done: true, value: undefined },
      }),
    }
    return Readable.from(inTheirTurns, { objectMode: false })
  }
}

export type InPieces = ReturnType<typeof createPieces>
