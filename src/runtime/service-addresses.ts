/** The addresses of an instance's Postgres and Temporal, if known. */
export interface Addresses {
  databaseUrl?: string | undefined
  temporalAddress?: string | undefined
}

/**
 * Explains why the addresses of Postgres and Temporal are unknown.
 *
 * @param running the embedded servers of the `npm start` on the data folder
 * @returns the problem, as the end of a sentence, and what to do about it
 */
export function whyUnknown(dataDir: string, running: Addresses): { what: string; advice: string } {
  const isPostgres = running.databaseUrl === undefined
  if (isPostgres && running.temporalAddress === undefined) {
    return {
      what: `Dripline is not running on ${dataDir}`,
      advice:
        'Start Dripline there with "npm start", or set DATA_DIR to the folder of a running one, ' +
        'or set DATABASE_URL and TEMPORAL_ADDRESS to external servers.',
    }
  }
  return {
    what: `Dripline on ${dataDir} uses an external ${isPostgres ? 'Postgres' : 'Temporal'}`,
    advice: `Also set ${isPostgres ? 'DATABASE_URL' : 'TEMPORAL_ADDRESS'} here, to the same value.`,
  }
}
