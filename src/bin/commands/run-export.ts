import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { existsSync } from 'node:fs'
import { exportWorkspace } from '../../contacts/index.ts'
import { assertWorkspace } from '../../segments/index.ts'
import { withDatabase } from './with-database.ts'

/** Writes the data of a workspace to a file that only its owner can read and that appears once it is complete. */
export const runExport = (path: string, workspaceId: string): Promise<{ lines: number }> =>
  withDatabase(async ({ em }) => {
    if (existsSync(path)) throw new Error(`${path} already exists`)
    await assertWorkspace(em.fork(), workspaceId)
    let lines = 0
    const counted = async function* () {
      for await (const chunk of exportWorkspace(em, workspaceId)) {
        if (chunk.endsWith('\n')) lines += 1
        yield chunk
      }
    }
    const unfinished = `${path}.unfinished`
    await pipeline(Readable.from(counted()), createWriteStream(unfinished, { mode: 0o600 }))
    await rename(unfinished, path)
    return { lines }
  })
