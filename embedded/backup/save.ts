import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite'
import { create, extract } from 'tar'
import { reasonOf } from '../data-folder.ts'
import { readRunning } from '../running-file.ts'
import { temporalFile } from '../temporal.ts'
import { fileOf, FORMAT, MANIFEST, type Manifest, readManifest, sha256Of, TEMPORAL } from './manifest.ts'
import { saveTables } from './tables.ts'

/** More pages than any database has: copied in one step, the copy is of one instant, and writes do not restart it. */
const ALL_PAGES = 2 ** 30

/**
 * Saves the Postgres and the Temporal of a running `npm start` into a file. Temporal's state is a moment older than the database.
 * That is the safe order, because the messages table records what was sent.
 *
 * @param given the path of the file, which must not exist yet
 * @returns the path and the contents
 * @throws {Error} that states what is in the way; the file is written completely or not at all
 */
export async function saveBackup(
  dataDir: string,
  given: string,
  version: string,
): Promise<{ file: string; manifest: Manifest }> {
  const file = resolve(given)
  if (existsSync(file)) throw isThere(file)
  const { databaseUrl, temporalAddress } = readRunning(dataDir)
  if (databaseUrl === undefined && temporalAddress === undefined) {
    throw new Error(
      `Nothing is running on ${dataDir}. Set DATA_DIR to the folder of the running "npm start". The folder of a stopped one ` +
        'can be copied unchanged (docs/operations.md, "The data folder").',
    )
  }
  if (databaseUrl === undefined || temporalAddress === undefined) {
    throw new Error(
      'Postgres or Temporal is an external server, and "backup" saves only the embedded ones. ' +
        'docs/operations.md, "Backups", has the commands for external servers.',
    )
  }
  const folder = createPrivateFolder(file)
  // Cleans up, even if the process ends early.
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    const temporal = join(folder, TEMPORAL)
    await copyTemporal(temporalFile(dataDir), temporal)
    const tables = await saveTables(databaseUrl, folder)
    const manifest: Manifest = {
      format: FORMAT,
      version,
      createdAt: new Date().toISOString(),
      ...tables,
      temporalSha256: await sha256Of(temporal),
    }
    writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest, null, 2), { mode: 0o600 })
    const whole = join(folder, 'whole.tar')
    // The manifest is last, so that a truncated file has none.
    await create({ cwd: folder, file: whole, portable: true, mode: 0o600 }, [
      ...manifest.tables.map((table) => fileOf(table.name)),
      TEMPORAL,
      MANIFEST,
    ])
    flush(whole)
    await readBack(whole, folder, manifest)
    moveWithoutReplacing(whole, file)
    return { file, manifest }
  } finally {
    remove()
    process.off('exit', remove)
  }
}

/** Reads a backup as a restore does. @throws {Error} if the disk did not keep all of it */
async function readBack(whole: string, folder: string, { version, migrations }: Manifest): Promise<void> {
  const unpacked = join(folder, 'unpacked')
  mkdirSync(unpacked, { mode: 0o700 })
  await extract({ file: whole, cwd: unpacked, strict: true, preserveOwner: false })
  await readManifest(unpacked, { version, migrations })
}

/** Flushes a file, so that a reported backup survives a power loss. */
function flush(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Moves a file without replacing another one, with a hard link if the file system has them. A rename could replace a concurrent
 * backup.
 */
function moveWithoutReplacing(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    if (existsSync(to)) throw isThere(to)
    renameSync(from, to)
  }
}

const isThere = (file: string) => new Error(`${file} already exists. Name another file: a backup never replaces one.`)

/** Creates a folder that only its owner can read, whatever the parent folder allows. */
function createPrivateFolder(file: string): string {
  const around = dirname(file)
  try {
    if (!existsSync(around)) throw new Error('the folder does not exist')
    return mkdtempSync(`${file}.unfinished-`)
  } catch (error) {
    throw new Error(
      `A backup cannot be created in ${around}: ${reasonOf(error)}. Name a file in a folder that you can write to.`,
      {
        cause: error,
      },
    )
  }
}

/** Copies Temporal's file as of one instant, while the server is running. */
export async function copyTemporal(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(from, { readOnly: true })
  try {
    await copyDatabase(database, to, { rate: ALL_PAGES })
  } finally {
    database.close()
  }
}
