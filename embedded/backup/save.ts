import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite'
import { create } from 'tar'
import { reasonOf } from '../data-folder.ts'
import { readRunning } from '../running-file.ts'
import { temporalFile } from '../temporal.ts'
import { fileOf, FORMAT, MANIFEST, type Manifest, sha256Of, TEMPORAL } from './manifest.ts'
import { saveTables } from './tables.ts'

/** Larger than any: in one step the copy is of one instant, and begins anew for nobody's writing. */
const ALL_PAGES = 2 ** 30

/**
 * Saves the Postgres and the Temporal of the `npm start` that runs on a data folder into a file, while they work. Temporal's
 * state is a moment older than the ledger: that is the harmless side, because what was sent is in the ledger.
 *
 * @param given the path of the file, which must not be there yet
 * @returns where it is, and what it holds
 * @throws {Error} that says what is in the way; the file is there whole or not at all
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
      `Nothing runs on ${dataDir}. Set DATA_DIR to the folder of the "npm start" that runs; one that is stopped is at rest, ` +
        'and can be copied as it is (docs/operations.md, "The data folder").',
    )
  }
  if (databaseUrl === undefined || temporalAddress === undefined) {
    throw new Error(
      'Postgres or Temporal is your own here, and only both embedded ones can be saved together. ' +
        'docs/operations.md, "Backups", has the commands for your own.',
    )
  }
  const folder = makeFolderBeside(file)
  // Also where the process is ended in the middle.
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
    // The manifest last: a file that was cut has none.
    await create({ cwd: folder, file: whole, portable: true, mode: 0o600 }, [
      ...manifest.tables.map((table) => fileOf(table.name)),
      TEMPORAL,
      MANIFEST,
    ])
    flush(whole)
    putWhereNothingIs(whole, file)
    return { file, manifest }
  } finally {
    remove()
    process.off('exit', remove)
  }
}

/** What is said to be saved survives a power loss. */
function flush(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A rename replaces what another backup has made meanwhile; but not every file system has links. */
function putWhereNothingIs(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    if (existsSync(to)) throw isThere(to)
    renameSync(from, to)
  }
}

const isThere = (file: string) => new Error(`${file} is there already. Name another file: a backup replaces none.`)

/** For its owner alone, whatever the folder around it is. */
function makeFolderBeside(file: string): string {
  const around = dirname(file)
  try {
    if (!existsSync(around)) throw new Error('there is no such folder')
    return mkdtempSync(`${file}.unfinished-`)
  } catch (error) {
    throw new Error(
      `A backup cannot be made in ${around}: ${reasonOf(error)}. Name a file in a folder that you may write to.`,
      {
        cause: error,
      },
    )
  }
}

/** Copies Temporal's file as it is at one instant, while the server works. */
export async function copyTemporal(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(from, { readOnly: true })
  try {
    await copyDatabase(database, to, { rate: ALL_PAGES })
  } finally {
    database.close()
  }
}
