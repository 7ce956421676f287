import { createStopSignal } from '../../src/bin/lifecycle.ts'

const closers: (() => Promise<void>)[] = []
let isWatched = false

/**
 * Closes something when the process is asked to stop (Ctrl-C or SIGTERM), as at the end of a run: nothing else would remove its
 * folders below /tmp and the processes that use them.
 *
 * @returns a function that closes it. No matter how often it is called, it closes once, and every call waits for that
 */
export function closedAtSignal(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined
  const closeOnce = async () => {
    closed ??= close()
    await closed
    closers.splice(closers.indexOf(closeOnce), 1)
  }
  closers.push(closeOnce)
  if (!isWatched) createStopSignal(() => void closeAll())
  isWatched = true
  return closeOnce
}

async function closeAll(): Promise<void> {
  // Errors from now on are caused by closing, and must not end the process before the folders are removed.
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, () => undefined)
  for (const close of closers.toReversed()) await close().catch(() => undefined)
  process.exit(130)
}
