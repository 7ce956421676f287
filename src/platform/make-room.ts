import type { Socket } from 'node:net'

/** So long nobody who has come makes room for others because he has not asked yet, in milliseconds. */
const GRACE_MS = 1_000

/**
 * Makes room for whoever comes where all connections are taken: by the oldest on which nobody waits for an answer, or by the oldest
 * of all. Whoever takes all of them, from however many networks, holds none for long; and whoever asks, and reads, is answered
 * before his is the oldest.
 */
export function makeRoom(most: number, isBusy: (socket: Socket) => boolean = () => false): (socket: Socket) => void {
  /** When they were opened, the oldest first. */
  const open = new Map<Socket, number>()
  const toLetGo = (): Socket | undefined => {
    const young = performance.now() - GRACE_MS
    for (const [socket, openedAt] of open) {
      if (openedAt > young) break
      if (!isBusy(socket)) return socket
    }
    const [oldest] = open.keys()
    return oldest
  }
  return (socket) => {
    if (socket.destroyed) return
    open.set(socket, performance.now())
    socket.once('close', () => open.delete(socket))
    const victim = open.size > most ? toLetGo() : undefined
    if (!victim) return
    open.delete(victim)
    victim.destroy()
  }
}
