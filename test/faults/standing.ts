import { createConnection, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { onLine } from './lines.ts'

/** Messages of a process to the controller: its name, a point that it passed, or a point at which it waits to be released. */
export type FromProcess =
  | { kind: 'hello'; process: string; pid: number }
  | { kind: 'passed'; point: string }
  | { kind: 'stands'; point: string; id: number }

/** Messages of the controller to a process: the points at which to stop from now on, and the release of a stopped one. */
export type ToProcess = { kind: 'stand-at'; points: string[] } | { kind: 'go'; id: number }

/** Milliseconds after the last byte of a message by which its server has it and is preparing its response. */
const FLIGHT_MS = 15

/**
 * Connects a process to the controller of the fault suite. The process stops at the points that the controller waits for until it
 * is released. Without a controller it passes all of them.
 */
export function connectToController(path: string, name: string): void {
  const waits = new Set<string>()
  const standing = new Map<number, () => void>()
  let ids = 0
  const socket: Socket = createConnection(path)
  const notify = (message: FromProcess) => void socket.write(`${JSON.stringify(message)}\n`)
  const forget = () => {
    waits.clear()
    for (const go of standing.values()) go()
  }
  socket.on('error', forget)
  socket.on('close', forget)
  socket.unref()
  notify({ kind: 'hello', process: name, pid: process.pid })
  onLine(socket, (line) => {
    const message = JSON.parse(line) as ToProcess
    if (message.kind === 'go') {
      standing.get(message.id)?.()
      standing.delete(message.id)
    } else {
      waits.clear()
      for (const point of message.points) waits.add(point)
    }
  })

  const stand = (point: string, passing: boolean): Promise<void> => {
    if (!waits.has(point)) {
      notify({ kind: 'passed', point })
      return Promise.resolve()
    }
    const id = (ids += 1)
    const announce = () => notify({ kind: 'stands', point, id })
    if (passing) return delay(FLIGHT_MS).then(announce)
    announce()
    return new Promise((resolve) => standing.set(id, resolve))
  }
  Object.assign(globalThis, {
    faultPoint: (point: string) => stand(point, false),
    faultPassing: (point: string) => stand(point, true),
  })
}
