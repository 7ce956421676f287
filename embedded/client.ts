import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { neededEnvironment } from './environment.ts'
import type { ProcessOptions } from './child-process.ts'
import type { EmbeddedOptions, HostMessage, OwnerMessage, OwnersAddresses } from './protocol.ts'

export interface Embedded extends OwnersAddresses {
  /** Settles when the host process ends; rejects where nobody has asked it to. */
  ended: Promise<void>
  /** Has a process kept beside them: started again when it ends, and stopped before them. */
  keep(process: ProcessOptions): void
  stop(): Promise<void>
}

/**
 * Starts Postgres and Temporal in a host process of their own, in a process group of its own: Ctrl-C reaches only us,
 * and we stop them last. Should we die, the host notices and stops them by itself. When it fails or is aborted, all that
 * was started has ended before the promise is rejected.
 */
export async function startEmbedded(
  options: Omit<EmbeddedOptions, 'ownerPid'>,
  say: (line: string) => void,
  aborted?: AbortSignal,
): Promise<Embedded> {
  aborted?.throwIfAborted()
  // The folder is an argument only so that the process list tells whose it is.
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
      `The process that keeps Postgres and Temporal has ended (${how}). They may still run: the next start takes them over`,
    )
  })
  // Whoever has nothing to do with how it ends may leave it alone.
  ended.catch(() => undefined)
  const send = (message: OwnerMessage) => host.connected && host.send(message)
  const stop = async () => {
    isAsked = true
    send({ kind: 'stop' })
    await exited
  }
  return new Promise((resolve, reject) => {
    const abort = () => void stop()
    let failure = new Error('The embedded services ended before they were ready')
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
