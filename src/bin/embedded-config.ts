import { readRunning } from '../../embedded/running-file.ts'
import type { Config } from '../platform/config.ts'
import type { ConnectedConfig } from '../parts/context.ts'

/**
 * Settles where Postgres and Temporal are: where the configuration says, or else where the `npm start` that runs on the
 * same data folder has them.
 *
 * @throws {Error} that says what to do, when neither tells.
 */
export function connectedConfig(config: Config): ConnectedConfig {
  const running = config.DATABASE_URL && config.TEMPORAL_ADDRESS ? {} : readRunning(config.dataDir)
  const DATABASE_URL = config.DATABASE_URL ?? running.databaseUrl
  const TEMPORAL_ADDRESS = config.TEMPORAL_ADDRESS ?? running.temporalAddress
  if (DATABASE_URL === undefined || TEMPORAL_ADDRESS === undefined) {
    throw new Error(
      `Nothing runs on ${config.dataDir} yet. Start Dripline there with "npm start", ` +
        'or set DATA_DIR to the folder of the one that runs, ' +
        'or set DATABASE_URL and TEMPORAL_ADDRESS to a Postgres and a Temporal of your own.',
    )
  }
  return { ...config, DATABASE_URL, TEMPORAL_ADDRESS }
}
