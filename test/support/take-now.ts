import type { ConnectionSlots } from '../../src/smtp/connection-slots.ts'

/** Takes a slot if one is free, without waiting for one. @returns a function that releases it */
export async function takeNow(slots: ConnectionSlots, workspaceId: string): Promise<(() => void) | undefined> {
  const now = new AbortController()
  const taken = slots.take(workspaceId, now.signal)
  now.abort(new Error('No slot is free'))
  return taken.catch(() => undefined)
}
