import { readConfig } from '../../platform/config.ts'
import type { Orm } from '../../platform/db/orm.ts'
import { openDatabase } from '../../schema/index.ts'
import { connectedConfig } from '../embedded-config.ts'

/**
 * Opens the database of the configuration, or of the `npm start` that is running, for one command.
 * @param timeoutMs how long a statement may take
 */
export async function withDatabase<Result>(run: (orm: Orm) => Promise<Result>, timeoutMs = 60_000): Promise<Result> {
  const config = readConfig(process.env)
  const { DATABASE_URL } = config.DATABASE_URL ? { DATABASE_URL: config.DATABASE_URL } : connectedConfig(config)
  const orm = openDatabase({ url: DATABASE_URL, timeoutMs })
  try {
    return await run(orm)
  } finally {
    await orm.close(true)
  }
}
