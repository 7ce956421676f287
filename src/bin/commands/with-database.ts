import { readConfig } from '../../platform/config.ts'
import type { Orm } from '../../platform/db/orm.ts'
import { openDatabase } from '../../schema/index.ts'
import { connectedConfig } from '../embedded-config.ts'

/**
 * Opens the database of the configuration, or of the running `npm start`, for one command. @param timeoutMs the maximum time of a
 * statement
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
