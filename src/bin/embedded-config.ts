import { readRunning } from '../../embedded/running-file.ts'
import type { Config } from '../platform/config.ts'
import type { ConnectedConfig } from '../runtime/context.ts'
import { whyUnknown } from '../runtime/service-addresses.ts'

/**
 * Determines the addresses of Postgres and Temporal from the configuration, otherwise from the `npm start` that runs on the same
 * data folder.
 *
 * @throws {Error} that states what to do if neither has them
 */
export function connectedConfig(config: Config): ConnectedConfig {
  const running = config.DATABASE_URL && config.TEMPORAL_ADDRESS ? {} : readRunning(config.dataDir)
  const DATABASE_URL = config.DATABASE_URL ?? running.databaseUrl
  const TEMPORAL_ADDRESS = config.TEMPORAL_ADDRESS ?? running.temporalAddress
  if (DATABASE_URL === undefined || TEMPORAL_ADDRESS === undefined) {
    const { what, advice } = whyUnknown(config.dataDir, running)
    throw new Error(`${what[0]!.toUpperCase()}${what.slice(1)}. ${advice}`)
  }
  return { ...config, DATABASE_URL, TEMPORAL_ADDRESS }
}
