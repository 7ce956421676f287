import { ApiError, BUSY } from '../platform/api-error.ts'
import { ConcurrencyLimit } from '../platform/concurrency-limit.ts'

/** Bytes of the files that are kept. */
const MAX_BYTES = 64 * 1024 * 1024
/** Milliseconds for which a file is kept: a deleted file is served that long. */
const KEPT_MS = 60_000

/**
 * Reads files and keeps them for a minute. Right after a campaign, thousands of recipients load the same images, and each image is read
 * once: other requests must not wait for a database connection.
 *
 * @returns a function that reads a file. @throws {ApiError} `busy`
 */
export function createFileCache<File extends { content: Buffer }>(
  read: (hash: string) => Promise<File | undefined>,
): (hash: string) => Promise<File | undefined> {
  const kept = new Map<string, { file: File; until: number }>()
  const underWay = new Map<string, Promise<File | undefined>>()
  let bytes = 0
  const limit = new ConcurrencyLimit({
    maxRunning: 2,
    maxWaiting: 1_000,
    maxWaitMs: 10_000,
    createError: () => new ApiError(BUSY),
  })
  const drop = (hash: string) => {
    bytes -= kept.get(hash)?.file.content.length ?? 0
    kept.delete(hash)
  }
  const load = async (hash: string) => {
    const file = await limit.run('', () => read(hash))
    if (!file) return undefined
    drop(hash)
    kept.set(hash, { file, until: Date.now() + KEPT_MS })
    bytes += file.content.length
    // The oldest first.
    for (const [old] of kept) {
      if (bytes <= MAX_BYTES) break
      drop(old)
    }
    return file
  }
  return (hash) => {
    const found = kept.get(hash)
    if (found && found.until > Date.now()) return Promise.resolve(found.file)
    if (found) drop(hash)
    const loading = underWay.get(hash) ?? load(hash).finally(() => underWay.delete(hash))
    underWay.set(hash, loading)
    return loading
  }
}
