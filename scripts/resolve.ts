import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A way to come by a binary. */
export interface Source {
  /** Completes "Temporal: …". */
  name: string
  /** Said before it is tried, where it takes long. */
  slow?: string
  /** The binary's path, or `undefined` where this way does not apply. Throws where it was tried and failed. */
  find(): Promise<string | undefined> | string | undefined
}

/**
 * Takes the first way that works, and says in one line which.
 * @throws {Error} when none does: what was tried, why each failed, and what to install.
 */
export async function resolveBinary(
  what: string,
  sources: readonly Source[],
  advice: string,
  say: (line: string) => void,
): Promise<string> {
  const failures: string[] = []
  for (const source of sources) {
    try {
      if (source.slow) say(`${what}: ${source.slow}`)
      const path = await source.find()
      if (path !== undefined) {
        say(`${what}: ${source.name} (${path})`)
        return path
      }
      failures.push(`${source.name}: not there`)
    } catch (error) {
      failures.push(`${source.name}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`)
    }
  }
  throw new Error(`${what} is not to be had.\n  ${failures.join('\n  ')}\n${advice}`)
}

/** The path that an environment variable gives. */
export const fromVariable = (env: NodeJS.ProcessEnv, name: string): Source => ({
  name,
  find() {
    const path = env[name]
    if (path && !existsSync(path)) throw new Error(`there is no file ${path}`)
    return path || undefined
  },
})

/** What an earlier run has kept. */
export const fromCache = (path: string): Source => ({
  name: 'the cache',
  find: () => (existsSync(path) ? path : undefined),
})

/**
 * The SDK's own download. The SDK offers none alone: it is asked to start a server, which leaves the binary in a folder.
 * @param start starts and ends a server whose binary is downloaded into the folder given.
 */
export const fromSdk = (folder: string, target: string, start: (downloadDir: string) => Promise<void>): Source => ({
  name: "the SDK's download",
  async find() {
    const downloadDir = mkdtempSync(join(folder, 'download-'))
    try {
      await start(downloadDir)
      const [name] = readdirSync(downloadDir)
      if (name === undefined) throw new Error('the download left no file')
      chmodSync(join(downloadDir, name), 0o755)
      renameSync(join(downloadDir, name), target)
      return target
    } finally {
      rmSync(downloadDir, { recursive: true, force: true })
    }
  },
})
