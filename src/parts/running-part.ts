import type { Server } from 'node:http'

/** What a process runs until it is stopped. */
export interface RunningPart {
  /** Settles when the part ends by itself; rejects with the reason when it can't go on. */
  ended: Promise<void>
  stop(): Promise<void>
}

/** @throws {Error} naming the variable that says where, when the port is taken. */
export function listen(server: Server, variable: string, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      reject(taken ? new Error(`Port ${port} is taken by another program. Set ${variable} to a free one.`) : error)
    })
    server.listen(port, host, resolve)
  })
}
