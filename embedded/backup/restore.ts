import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import getPort from 'get-port'
import { extract } from 'tar'
import { startEmbedded } from '../client.ts'
import { makeDataFolder } from '../data-folder.ts'
import { LOCK_FILE } from '../lock.ts'
import { assertFolderFree } from '../owner.ts'
import { temporalFile } from '../temporal.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { loadTables } from './tables.ts'

/** What only whoever knows the schema can do. */
export interface RestoredSchema {
  /** The names of all migrations, oldest first. */
  migrations: readonly string[]
  /** Makes the tables of a database that has nothing, as they are behind the last of these. */
  migrateTo(databaseUrl: string, migrations: readonly string[]): Promise<void>
  /** Brings it up to date, and says that it is a restored one. */
  finish(databaseUrl: string): Promise<void>
}

/**
 * Makes a data folder of a backup. Nothing is begun before the whole file was looked at; and whatever fails, the folder is as
 * it was before: not there, or empty.
 *
 * @throws {Error} that says what is wrong with the file, or in the way
 */
export async function restoreBackup(
  given: string,
  dataDir: string,
  schema: RestoredSchema,
  say: (line: string) => void,
): Promise<Manifest> {
  const file = resolve(given)
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`)
  if (existsSync(dataDir)) {
    // Whoever runs there has the first word; and a folder that is nobody's gets no lock.
    if (existsSync(join(dataDir, LOCK_FILE))) assertFolderFree(dataDir)
    const rest = readdirSync(dataDir).filter((name) => !HARMLESS.includes(name))
    if (rest.length > 0) {
      throw new Error(
        `${dataDir} is not empty (${rest.slice(0, 3).join(', ')} …): a backup is restored into a folder of its own. ` +
          'Move that one away, or set DATA_DIR to another folder.',
      )
    }
  }
  const wasThere = existsSync(dataDir)
  const unpacked = mkdtempSync(join(existingAbove(dataDir), '.dripline-restore-'))
  let isDone = false
  try {
    await extract({ file, cwd: unpacked, strict: true }).catch((error: unknown) => {
      throw new Error(`${file} is no backup, or not whole: ${(error as Error).message}`, { cause: error })
    })
    const manifest = await readManifest(unpacked, schema.migrations).catch((error: unknown) => {
      throw new Error(`${file} cannot be restored. ${(error as Error).message}`, { cause: error })
    })
    makeDataFolder(dataDir)
    const embedded = await startEmbedded({ dataDir, postgres: { port: await getPort({ host: '127.0.0.1' }) } }, say)
    try {
      const { databaseUrl = '', superuserUrl = '' } = embedded
      await schema.migrateTo(databaseUrl, manifest.migrations)
      const superuser = new URL(superuserUrl)
      superuser.pathname = new URL(databaseUrl).pathname
      await loadTables(superuser.href, unpacked, manifest)
      await schema.finish(databaseUrl)
    } finally {
      await embedded.stop()
    }
    renameSync(join(unpacked, manifest.temporal.file), temporalFile(dataDir))
    isDone = true
    return manifest
  } finally {
    rmSync(unpacked, { recursive: true, force: true })
    if (!isDone) clear(dataDir, wasThere)
  }
}

/** What a start that came to nothing leaves: none of it is anybody's data. */
const HARMLESS = [LOCK_FILE, `${LOCK_FILE}-journal`, 'owner.pid', 'logs']

function clear(dataDir: string, wasThere: boolean): void {
  if (!wasThere) return rmSync(dataDir, { recursive: true, force: true })
  for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true, force: true })
}

/** On the same file system as the folder: what was unpacked is moved there. */
function existingAbove(path: string): string {
  const above = dirname(path)
  return statSync(above, { throwIfNoEntry: false })?.isDirectory() || above === path ? above : existingAbove(above)
}
