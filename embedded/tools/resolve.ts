import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** A way to come by a binary. */
export interface Source {
  /** Completes "Temporal: …". */
  name: string
  /** Said before it is tried, where it takes long. */
  slow?: string
  /** Whether it was asked for: what is wrong with it is an error then, and no reason to look elsewhere. */
  asked?: boolean
  /** The binary's path, or `undefined` where this way does not apply. Throws where it was tried and failed. */
  find(): Promise<string | undefined> | string | undefined
}

export interface Wanted {
  /** In words. */
  what: string
  /** What to install where no way works. */
  advice: string
  /** Throws when a binary that was found is not what is needed. */
  check?: (path: string) => Promise<void>
}

/**
 * Takes the first way that works, and says in one line which; and of a binary that is there and of no use, why.
 * @throws {Error} when none does: what was tried, why each failed, and what to install.
 */
export async function resolveBinary(
  { what, advice, check }: Wanted,
  sources: readonly Source[],
  say: (line: string) => void,
  aborted?: AbortSignal,
): Promise<string> {
  const failures: string[] = []
  for (const source of sources) {
    let path: string | undefined
    try {
      if (source.slow) say(`${what}: ${source.slow}`)
      path = await source.find()
      if (path === undefined) {
        failures.push(`${source.name}: not there`)
        continue
      }
      assertExecutable(path)
      await check?.(path)
      say(`${what}: ${source.name} (${path})`)
      return path
    } catch (error) {
      // What was aborted has not failed.
      if (aborted?.aborted) throw error
      const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
      if (source.asked) throw new Error(`${source.name}: ${reason}`, { cause: error })
      if (path !== undefined) say(`${what}: ${source.name} (${path}) is not used: ${reason}`)
      failures.push(`${source.name}: ${reason}`)
    }
  }
  throw new Error(`${what} is not to be had.\n  ${failures.join('\n  ')}\n${advice}`)
}

function assertExecutable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new Error(`there is no file ${path}`)
  if (!found.isFile()) throw new Error('it is no file')
  if (found.size === 0) throw new Error('it is empty')
  try {
    accessSync(path, constants.X_OK)
  } catch (error) {
    throw new Error('it is not executable', { cause: error })
  }
}

/** The path that an environment variable gives. */
export const fromVariable = (env: NodeJS.ProcessEnv, name: string): Source => ({
  name,
  asked: true,
  find: () => env[name] || undefined,
})

/** What an earlier run has kept. */
export const fromCache = (path: string): Source => ({
  name: 'the cache',
  find: () => (existsSync(path) ? path : undefined),
})

/** Has a binary made in a folder of its own, and moves it to its place when it is whole. */
export async function makeInPlace(target: string, make: (folder: string) => Promise<void>): Promise<string> {
  mkdirSync(dirname(target), { recursive: true })
  const folder = mkdtempSync(join(dirname(target), 'making-'))
  try {
    await make(folder)
    const [name] = readdirSync(folder)
    if (name === undefined) throw new Error('it left no file')
    chmodSync(join(folder, name), 0o755)
    renameSync(join(folder, name), target)
    return target
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The SDK's own download. The SDK offers none alone: it is asked to start a server, which leaves the binary in a folder.
 * @param start starts and ends a server whose binary is downloaded into the folder given.
 */
export const fromSdk = (target: string, start: (downloadDir: string) => Promise<void>): Source => ({
  name: "the SDK's download",
  find: () => makeInPlace(target, start),
})
