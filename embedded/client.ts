import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { neededEnvironment } from './environment.ts'
import type { ProcessOptions } from './child-process.ts'
import type { EmbeddedOptions, HostMessage, OwnerMessage, OwnersAddresses } from './protocol.ts'

export interface Embedded extends OwnersAddresses {
  /** Resolves when the host process ends; rejects if it was not asked to. */
  ended: Promise<void>
  /** Keeps a further process running: it is restarted when it ends, and stopped before Postgres and Temporal. */
  keep(process: ProcessOptions): void
  stop(): Promise<void>
}

/**
 * Starts Postgres and Temporal in a host process with its own process group: Ctrl-C reaches only the calling process, which stops
 * the host last. If the caller dies, the host notices and stops everything. On failure or abort, everything that was started has
 * ended before the promise is rejected.
 */
export async function startEmbedded(
  options: Omit<EmbeddedOptions, 'ownerPid'>,
  say: (line: string) => void,
  aborted?: AbortSignal,
): Promise<Embedded> {
  aborted?.throwIfAborted()
  // The argument only shows the folder in the process list.
  const host = fork(fileURLToPath(new URL('./host.ts', import.meta.url)), [options.dataDir], {
    detached: true,
    env: neededEnvironment(process.env),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let isAsked = false
  const exited = new Promise<string>((resolve) => {
    host.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    host.once('error', (error) => resolve(error.message))
  })
  const ended = exited.then((how) => {
    if (isAsked) return
    throw new Error(
      `The process that runs Postgres and Temporal has ended (${how}). They may still be running; the next start takes them over`,
    )
  })
  // Prevents an unhandled rejection if the caller does not use `ended`.
  ended.catch(() => undefined)
  const send = (message: OwnerMessage) => host.connected && host.send(message)
  const stop = async () => {
    isAsked = true
    send({ kind: 'stop' })
    await exited
  }
  return new Promise((resolve, reject) => {
    const abort = () => void stop()
    let failure = new Error('The embedded services ended during startup')
    host.on('message', (message: HostMessage) => {
      if (message.kind === 'progress') say(message.line)
      else if (message.kind === 'failed') failure = new Error(message.error)
      else {
        aborted?.removeEventListener('abort', abort)
        resolve({ ...message.addresses, ended, keep: (process) => void send({ kind: 'keep', process }), stop })
      }
    })
    host.once('error', (error) => (failure = error))
    void exited.then(() => reject(aborted?.aborted ? (aborted.reason as Error) : failure))
    aborted?.addEventListener('abort', abort, { once: true })
    send({ kind: 'start', options: { ...options, ownerPid: process.pid } })
  })
}
