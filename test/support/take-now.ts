import type { ConnectionSlots } from '../../src/smtp/connection-slots.ts'

/** Takes a slot if one is free, and does not wait for one. @returns what releases it */
export async function takeNow(slots: ConnectionSlots, workspaceId: string): Promise<(() => void) | undefined> {
  const now = new AbortController()
  const taken = slots.take(workspaceId, now.signal)
  now.abort(new Error('None is free now'))
  return taken.catch(() => undefined)
}
