import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cacheFolder } from '../../embedded/tools/cache.ts'

/** Files on which the contents of the folder depend: a change of one of them prepares a new folder. */
const SOURCES = [
  'package-lock.json',
  'embedded/postgres*.ts',
  'src/**/migrations/*',
  'src/schema/*.ts',
  'src/platform/db/*.ts',
  'test/support/servers.ts',
]
/** Parts that a data folder needs: the cluster, and the passwords of its roles. */
const PARTS = ['postgres', 'postgres-password', 'postgres-superuser-password']
const ROOT = join(import.meta.dirname, '../..')
const PREFIX = 'test-postgres-'

/**
 * Copies a Postgres cluster with a migrated template database into a new data folder. The cluster comes from a cache, so that only
 * the first run after a change of the schema creates and migrates one.
 *
 * @param prepare starts Postgres in a data folder, migrates the template, and stops Postgres
 */
export async function copyPreparedPostgres(
  dataDir: string,
  prepare: (dataDir: string) => Promise<void>,
): Promise<void> {
  const cached = join(cacheFolder(''), PREFIX + keyOf(SOURCES))
  if (!existsSync(cached)) {
    const unfinished = mkdtempSync(`${cached}.`)
    try {
      await prepare(unfinished)
      renameSync(unfinished, cached)
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true })
      // Another run may have prepared it in the meantime.
      if (!existsSync(cached)) throw error
    }
    removeOthers(cached)
  }
  for (const part of PARTS) execFileSync('cp', ['-a', join(cached, part), dataDir])
}

function keyOf(patterns: readonly string[]): string {
  const hash = createHash('sha256').update(String(process.getuid?.()))
  for (const path of globSync([...patterns], { cwd: ROOT }).toSorted()) {
    hash.update(path).update(readFileSync(join(ROOT, path)))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Deletes the folders of other versions, but none that another run is preparing. */
function removeOthers(current: string): void {
  for (const name of readdirSync(dirname(current))) {
    const isOther = name.startsWith(PREFIX) && !name.includes('.') && name !== basename(current)
    if (isOther) rmSync(join(dirname(current), name), { recursive: true, force: true })
  }
}
