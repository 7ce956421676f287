import { createConnection, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { onLine } from './lines.ts'

/** What a process tells the controller: who it is, that it passed a point, or that it stands there until it is let go. */
export type FromProcess =
  | { kind: 'hello'; process: string; pid: number }
  | { kind: 'passed'; point: string }
  | { kind: 'stands'; point: string; id: number }

/** What the controller tells a process: at which points it is to stand from now on, and that somebody may go on. */
export type ToProcess = { kind: 'stand-at'; points: string[] } | { kind: 'go'; id: number }

/** How long after the last byte of a message its server has it, and thinks, in milliseconds. */
const FLIGHT_MS = 15

/**
 * Makes a process's points known to the fault suite's controller. At a point that the controller waits for, whoever comes by
 * stands until it is let go; a process whose controller is gone passes all of them.
 */
export function connectToController(path: string, name: string): void {
  const waits = new Set<string>()
  const standing = new Map<number, () => void>()
  let ids = 0
  const socket: Socket = createConnection(path)
  const tell = (message: FromProcess) => void socket.write(`${JSON.stringify(message)}\n`)
  const forget = () => {
    waits.clear()
    for (const go of standing.values()) go()
  }
  socket.on('error', forget)
  socket.on('close', forget)
  socket.unref()
  tell({ kind: 'hello', process: name, pid: process.pid })
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
      tell({ kind: 'passed', point })
      return Promise.resolve()
    }
    const id = (ids += 1)
    const told = () => tell({ kind: 'stands', point, id })
    if (passing) return delay(FLIGHT_MS).then(told)
    told()
    return new Promise((resolve) => standing.set(id, resolve))
  }
  Object.assign(globalThis, {
    faultPoint: (point: string) => stand(point, false),
    faultPassing: (point: string) => stand(point, true),
  })
}
