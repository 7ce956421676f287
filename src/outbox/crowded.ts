/** How long a workspace is remembered, in milliseconds, that has left something to the relay. */
const REMEMBERED_MS = 10 * 60_000

/**
 * Remembers which workspaces have left deliveries to the relay: only of those it is worth a question how many wait. Each process
 * learns it by itself.
 */
export class Crowded {
  private readonly since = new Map<string, number>()

  add(workspaceId: string): void {
    this.since.set(workspaceId, performance.now())
  }

  has(workspaceId: string): boolean {
    const at = this.since.get(workspaceId)
    if (at === undefined) return false
    if (performance.now() - at < REMEMBERED_MS) return true
    this.since.delete(workspaceId)
    return false
  }
}
