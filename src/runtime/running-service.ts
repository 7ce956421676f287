import type { Server } from 'node:http'

/** What a process runs until it is stopped. */
export interface RunningService {
  /** Settles when the part ends by itself; rejects with the reason when it can't go on. */
  ended: Promise<void>
  stop(): Promise<void>
}

/** @throws {Error} naming the variable that says where, when the port is taken. */
export function listen(server: Server, variable: string, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(portProblem(error, variable, port)))
    server.listen(port, host, resolve)
  })
}

/** Why nothing can listen there, in words where those help. */
export function portProblem(error: NodeJS.ErrnoException, variable: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`Port ${port} is taken by another program. Set ${variable} to a free one.`)
  if (error.code === 'EACCES')
    return new Error(`This process may not listen on port ${port}. Set ${variable} to one above 1023, or allow it.`)
  return error
}
