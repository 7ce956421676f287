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
