import { readRunning } from '../../embedded/running-file.ts'
import { readSecretsKey } from '../../embedded/secrets-key.ts'
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
  // Other processes on the same data folder use the key that `npm start` created there.
  const SECRETS_KEY =
    config.SECRETS_KEY ?? (config.DATABASE_URL && config.TEMPORAL_ADDRESS ? undefined : readSecretsKey(config.dataDir))
  return { ...config, SECRETS_KEY, DATABASE_URL, TEMPORAL_ADDRESS }
}
