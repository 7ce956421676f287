import { createServer, type Server, type Socket } from 'node:net'
import { onLine } from './lines.ts'
import type { FromProcess, ToProcess } from './standing.ts'

/** A process that is stopped at a point. */
export interface Standing {
  point: string
  /** The name of the process, such as `worker-1`. */
  process: string
  pid: number
  /** Lets it continue. */
  go: () => void
}

/** Records which processes pass the named points, and stops a process at a point. */
export class Controller {
  /** Number of times that each point was passed or stopped at. */
  readonly passes = new Map<string, number>()
  private takers: { points: readonly string[]; take: (standing: Standing) => void }[] = []
  /** The processes that are up, and since when. */
  readonly processes = new Map<string, number>()
  private readonly sockets = new Set<Socket>()
  private readonly server: Server

  constructor(path: string) {
    this.server = createServer((socket) => this.attend(socket))
    this.server.listen(path)
  }

  /** Waits for the next process at one of some points. @returns `undefined` if none comes in time */
  async meet(points: readonly string[], withinMs: number): Promise<Standing | undefined> {
    const { promise, resolve } = Promise.withResolvers<Standing | undefined>()
    const stopWaiting = this.wait(points, (standing) => {
      stopWaiting()
      resolve(standing)
    })
    const late = setTimeout(() => {
      stopWaiting()
      resolve(undefined)
    }, withinMs)
    const met = await promise
    clearTimeout(late)
    return met
  }

  /** Stops every process at a point. @returns a function that lets these and all later ones continue */
  holdAll(point: string): () => void {
    const stopped: Standing[] = []
    const stopWaiting = this.wait([point], (standing) => stopped.push(standing))
    return () => {
      stopWaiting()
      for (const standing of stopped) standing.go()
    }
  }

  private wait(points: readonly string[], take: (standing: Standing) => void): () => void {
    const taker = { points, take }
    this.takers.push(taker)
    this.notifyAll()
    return () => {
      this.takers = this.takers.filter((each) => each !== taker)
      this.notifyAll()
    }
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
    this.server.close()
  }

  private attend(socket: Socket): void {
    let who = { process: '', pid: 0 }
    this.sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.sockets.delete(socket)
      this.processes.delete(who.process)
    })
    this.notify(socket, this.standAt())
    onLine(socket, (line) => {
      const message = JSON.parse(line) as FromProcess
      if (message.kind === 'hello') {
        who = message
        this.processes.set(who.process, Date.now())
        return
      }
      const { point } = message
      this.passes.set(point, (this.passes.get(point) ?? 0) + 1)
      if (message.kind === 'passed') return
      const go = () => this.notify(socket, { kind: 'go', id: message.id })
      const taker = this.takers.find(({ points }) => points.includes(point))
      // Two processes came at once, and only one was needed.
      if (!taker) return go()
      taker.take({ process: who.process, pid: who.pid, point, go })
    })
  }

  private standAt(): ToProcess {
    return { kind: 'stand-at', points: [...new Set(this.takers.flatMap(({ points }) => points))] }
  }

  private notifyAll(): void {
    for (const socket of this.sockets) this.notify(socket, this.standAt())
  }

  private notify(socket: Socket, message: ToProcess): void {
    if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`)
  }
}
