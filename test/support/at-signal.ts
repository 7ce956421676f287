import { stopSignal } from '../../src/bin/lifecycle.ts'

const closers: (() => Promise<void>)[] = []
let isWatched = false

/**
 * Has something closed when the process is asked to stop, by Ctrl-C or SIGTERM, as at the end of a run: folders below /tmp
 * and what works on them are nobody else's to remove.
 *
 * @returns what closes it; whenever it is called, that is done once, and whoever calls waits until it is.
 */
export function closedAtSignal(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined
  const closeOnce = async () => {
    closed ??= close()
    await closed
    closers.splice(closers.indexOf(closeOnce), 1)
  }
  closers.push(closeOnce)
  if (!isWatched) stopSignal(() => void closeAll())
  isWatched = true
  return closeOnce
}

async function closeAll(): Promise<void> {
  // What breaks from now on does so because all of it ends, and must not end the process before the folders are gone.
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, () => undefined)
  for (const close of closers.toReversed()) await close().catch(() => undefined)
  process.exit(130)
}
