import type { Server } from 'node:http'

/** A service that a process runs until it is stopped. */
export interface RunningService {
  /** Resolves when the service ends by itself; rejects with the reason when it fails. */
  ended: Promise<void>
  stop(): Promise<void>
}

/** @throws {Error} naming the variable of the port, if the port is in use */
export function listen(server: Server, variable: string, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(portProblem(error, variable, port)))
    server.listen(port, host, resolve)
  })
}

/** Explains why a port cannot be used. */
export function portProblem(error: NodeJS.ErrnoException, variable: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`Port ${port} is in use by another program. Set ${variable} to a free port.`)
  if (error.code === 'EACCES')
    return new Error(
      `This process is not allowed to listen on port ${port}. Set ${variable} to a port above 1023, or grant the permission.`,
    )
  return error
}
