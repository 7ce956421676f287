import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ProcessOptions } from './process.ts'
import type { EmbeddedAddresses, EmbeddedOptions, HostMessage, OwnerMessage } from './protocol.ts'

export interface Embedded extends EmbeddedAddresses {
  /** Settles when the host process ends, however it ends. */
  ended: Promise<void>
  /** Has a process kept beside them: started again when it ends, and stopped before them. */
  keep(process: ProcessOptions): void
  stop(): Promise<void>
}

/**
 * Starts Postgres and Temporal in a host process of their own, in a process group of its own: Ctrl-C reaches only us,
 * and we stop them last. Should we die, the host notices and stops them by itself.
 */
export function startEmbedded(
  options: Omit<EmbeddedOptions, 'ownerPid'>,
  say: (line: string) => void,
): Promise<Embedded> {
  // The folder is an argument only so that the process list tells whose it is.
  const host = fork(fileURLToPath(new URL('./host.ts', import.meta.url)), [options.dataDir], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => host.once('exit', () => resolve()))
  const send = (message: OwnerMessage) => host.connected && host.send(message)
  return new Promise((resolve, reject) => {
    host.on('message', (message: HostMessage) => {
      if (message.kind === 'progress') say(message.line)
      else if (message.kind === 'failed') reject(new Error(message.error))
      else {
        resolve({
          ...message.addresses,
          ended,
          keep: (process) => void send({ kind: 'keep', process }),
          async stop() {
            send({ kind: 'stop' })
            await ended
          },
        })
      }
    })
    host.once('error', reject)
    void ended.then(() => reject(new Error('The embedded services ended before they were ready')))
    send({ kind: 'start', options: { ...options, ownerPid: process.pid } })
  })
}
