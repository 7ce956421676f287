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

/** A way to get a binary. */
export interface Source {
  /** Completes "Temporal: …". */
  name: string
  /** The message before the attempt, if it is slow. */
  slow?: string
  /** True if the user requested it: then a failure is an error, and no other way is tried. */
  isRequested?: boolean
  /** The binary's path, or `undefined` if this way does not apply. Throws if it was tried and failed. */
  find(): Promise<string | undefined> | string | undefined
}

export interface BinarySpec {
  /** Its name in messages. */
  what: string
  /** The software to install if no way works. */
  advice: string
  /** Throws if a binary is not usable. */
  check?: (path: string) => Promise<void>
}

/**
 * Uses the first way that works, and reports it in one line, and why an existing binary is unusable. @throws {Error} if none
 * works: the ways, why each failed, and what to install
 */
export async function resolveBinary(
  { what, advice, check }: BinarySpec,
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
        failures.push(`${source.name}: not found`)
        continue
      }
      assertExecutable(path)
      await check?.(path)
      say(`${what}: ${source.name} (${path})`)
      return path
    } catch (error) {
      // An abort is not a failure.
      if (aborted?.aborted) throw error
      const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
      if (source.isRequested) throw new Error(`${source.name}: ${reason}`, { cause: error })
      if (path !== undefined) say(`${what}: ${source.name} (${path}) is not used: ${reason}`)
      failures.push(`${source.name}: ${reason}`)
    }
  }
  throw new Error(`${what} could not be found or installed.\n  ${failures.join('\n  ')}\n${advice}`)
}

function assertExecutable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new Error(`the file ${path} does not exist`)
  if (!found.isFile()) throw new Error('it is not a file')
  if (found.size === 0) throw new Error('it is empty')
  try {
    accessSync(path, constants.X_OK)
  } catch (error) {
    throw new Error('it is not executable', { cause: error })
  }
}

/** Takes the path in an environment variable. */
export const fromVariable = (env: NodeJS.ProcessEnv, name: string): Source => ({
  name,
  isRequested: true,
  find: () => env[name] || undefined,
})

/** Takes the binary of an earlier run. */
export const fromCache = (path: string): Source => ({
  name: 'the cache',
  find: () => (existsSync(path) ? path : undefined),
})

/** Creates a binary in a temporary folder, and moves it when it is complete. */
export async function makeInPlace(target: string, make: (folder: string) => Promise<void>): Promise<string> {
  mkdirSync(dirname(target), { recursive: true })
  const folder = mkdtempSync(join(dirname(target), 'making-'))
  try {
    await make(folder)
    const [name] = readdirSync(folder)
    if (name === undefined) throw new Error('it produced no file')
    chmodSync(join(folder, name), 0o755)
    renameSync(join(folder, name), target)
    return target
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Uses the SDK's download. The SDK has no function for that alone, so a server is started, which leaves the binary in a folder.
 * @param start starts and stops a server whose binary is downloaded into the given folder
 */
export const fromSdk = (target: string, start: (downloadDir: string) => Promise<void>): Source => ({
  name: "the SDK's download",
  find: () => makeInPlace(target, start),
})
