import { BUSY, Refusal } from '../platform/refusal.ts'
import type { ServerResponse } from 'node:http'

/** Shorter answers are not counted: only a list can be megabytes. In bytes. */
const SHORT = 64 * 1024
/** How much one workspace may have been answered and not have read yet, in bytes: five pages of the largest contacts. */
const MOST = 32 * 1024 * 1024

const UNREAD = 'Too many answers have not been read yet; please read them, and try again'

/**
 * Keeps count of what a workspace has asked for and does not read. A client that reads slowly keeps its answers in memory for
 * as long as it likes, and asking again costs it nothing.
 */
export function createUnreadAnswers(most = MOST) {
  const unread = new Map<string, number>()
  const of = (workspaceId: string) => unread.get(workspaceId) ?? 0
  return {
    /** @throws {Refusal} when the workspace has as much unread as it may. Asked before anything is read for an answer. */
    assertRoom(workspaceId: string): void {
      if (of(workspaceId) > most) throw new Refusal(BUSY, { message: UNREAD })
    },
    /** Counts an answer until it is read or its connection is gone. */
    hold(workspaceId: string, length: number, response: ServerResponse): void {
      // Who is gone already is not told of.
      if (length < SHORT || response.closed || response.destroyed) return
      unread.set(workspaceId, of(workspaceId) + length)
      response.once('close', () => {
        const left = of(workspaceId) - length
        if (left > 0) unread.set(workspaceId, left)
        else unread.delete(workspaceId)
      })
    },
  }
}

export type UnreadAnswers = ReturnType<typeof createUnreadAnswers>
