import { restoreBackup } from '../../../embedded/backup/restore.ts'
import type { Manifest } from '../../../embedded/backup/manifest.ts'
import { readConfig } from '../../platform/config.ts'
import { migrate, MIGRATION_TIMEOUT_MS, type Orm } from '../../platform/db/orm.ts'
import { markRestored } from '../../relay/index.ts'
import { setMailSender } from '../../instance/index.ts'
import { deleteAllAccounts } from '../../accounts/index.ts'
import { deleteAllApiKeys } from '../../workspaces/index.ts'
import { migrationNames, openDatabase } from '../../schema/index.ts'
import { version } from '../../platform/version.ts'

async function withOrm(url: string, run: (orm: Orm) => Promise<unknown>): Promise<void> {
  const orm = openDatabase({ url, timeoutMs: MIGRATION_TIMEOUT_MS })
  try {
    await run(orm)
  } finally {
    await orm.close(true)
  }
}

/** Creates a data folder from a backup. @see restoreBackup */
export async function restore(
  file: string,
  { withoutTemporal }: { withoutTemporal: boolean },
  say: (line: string) => void,
): Promise<{ dataDir: string; manifest: Manifest }> {
  // Only the owner can read new files in the data folder.
  process.umask(0o077)
  const { dataDir, DATABASE_URL, TEMPORAL_ADDRESS } = readConfig(process.env)
  if (DATABASE_URL !== undefined || TEMPORAL_ADDRESS !== undefined) {
    throw new Error(
      'DATABASE_URL or TEMPORAL_ADDRESS is set, but "restore" creates a folder for npm start and does not restore external ' +
        'servers. docs/operations.md, "Backups", has the commands for those.',
    )
  }
  const schema = {
    withoutTemporal,
    version,
    migrations: migrationNames,
    migrateTo: (url: string, names: readonly string[]) => withOrm(url, (orm) => migrate(orm, names)),
    finish: (url: string) =>
      withOrm(url, async (orm) => {
        await migrate(orm)
        await markRestored(orm.em)
        if (!withoutTemporal) return
        // The backup may come from an untrusted source with its own mail sender.
        await setMailSender(orm.em.fork(), null)
        await deleteAllApiKeys(orm.em.fork())
        await deleteAllAccounts(orm.em.fork())
      }),
  }
  return { dataDir, manifest: await restoreBackup(file, dataDir, schema, say) }
}
