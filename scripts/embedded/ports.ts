import { createServer } from 'node:net'

/** @throws {Error} that names the variable to set, when something listens on the port already. */
export function assertPortFree(variable: string, port: number, host = '127.0.0.1'): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(
          error.code === 'EADDRINUSE'
            ? `Port ${port} is taken by another program. Set ${variable} to a free one.`
            : `Port ${port} (${variable}) can't be used: ${error.message}`,
        ),
      ),
    )
    probe.listen(port, host, () => probe.close(() => resolve()))
  })
}
