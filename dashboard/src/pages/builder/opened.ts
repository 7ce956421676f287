/** Of the query that opens an automation to be edited: it is asked for by the builder alone. */
export const OPENED = 'opened'

/** The revision in an ETag, also where a proxy has made it a weak one. */
export const revisionOf = (etag: string | undefined): number => Number(/"(\d+)"/.exec(etag ?? '')?.[1] ?? 0)
