import { nullObject } from './metadata.ts'

/**
 * SQL of metadata without some keys. Postgres's own operator compares each key with each one that is to go, so that thousands
 * of both take seconds: beyond some it is made anew, where each is found in an object by its order.
 *
 * @param metadata SQL of what is stored
 * @param removed SQL of an object with the keys that are to go, or of null
 */
export const without = (metadata: string, removed: string): string =>
  `(select case
     when removed is null then ${metadata}
     when (select count(*) from jsonb_object_keys(removed)) <= ${FEW} then ${metadata} - array(select jsonb_object_keys(removed))
     else (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(${metadata}) where not removed ? key)
   end from (select ${removed} as removed offset 0) going)`

/** So few keys that the operator is quicker. */
const FEW = 100

/** The keys that are to go, as the statements want them. */
export const removal = (keys: readonly string[]): Record<string, null> => {
  const removed: Record<string, null> = nullObject()
  for (const key of keys) removed[key] = null
  return removed
}
