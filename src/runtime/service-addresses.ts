/** Where a service has its Postgres and its Temporal, as far as that is known. */
export interface Addresses {
  databaseUrl?: string | undefined
  temporalAddress?: string | undefined
}

/**
 * What is said where neither the configuration nor the `npm start` on a data folder tells where Postgres and Temporal are.
 *
 * @param running where that has its own, the embedded ones
 * @returns what is so, as the end of a sentence, and what to do about it
 */
export function whyUnknown(dataDir: string, running: Addresses): { what: string; advice: string } {
  const isPostgres = running.databaseUrl === undefined
  if (isPostgres && running.temporalAddress === undefined) {
    return {
      what: `nothing runs on ${dataDir} yet`,
      advice:
        'Start Dripline there with "npm start", or set DATA_DIR to the folder of the one that runs, ' +
        'or set DATABASE_URL and TEMPORAL_ADDRESS to a Postgres and a Temporal of your own.',
    }
  }
  return {
    what: `what runs on ${dataDir} has a ${isPostgres ? 'Postgres' : 'Temporal'} of your own`,
    advice: `Set ${isPostgres ? 'DATABASE_URL' : 'TEMPORAL_ADDRESS'} here, too, as it was started with.`,
  }
}
