import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
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
/** Milliseconds for which the folder of another version is kept. */
const KEPT_MS = 3 * 86_400_000

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
  // Marks it as used.
  utimesSync(cached, new Date(), new Date())
  for (const part of PARTS) execFileSync('cp', ['-a', join(cached, part), dataDir])
}

function keyOf(patterns: readonly string[]): string {
  const hash = createHash('sha256').update(String(process.getuid?.()))
  for (const path of globSync([...patterns], { cwd: ROOT }).toSorted()) {
    hash.update(path).update(readFileSync(join(ROOT, path)))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Deletes the folders of other versions that no run has used for a while. Another checkout may be copying a newer one. */
function removeOthers(current: string): void {
  for (const name of readdirSync(dirname(current))) {
    const folder = join(dirname(current), name)
    const isOther = name.startsWith(PREFIX) && name !== basename(current)
    if (isOther && Date.now() - statSync(folder).mtimeMs > KEPT_MS) rmSync(folder, { recursive: true, force: true })
  }
}
