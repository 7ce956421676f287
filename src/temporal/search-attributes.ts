import type { Client } from '@temporalio/client'
import { SEARCH_ATTRIBUTES } from './search-attribute-keys.ts'

/** Temporal's numbers for the types used (`temporal.api.enums.v1.IndexedValueType`). */
const TYPE_NUMBERS = { KEYWORD: 2, DATETIME: 6 } as const

/**
 * Registers the search attributes that are missing from the namespace; without them no enrollment can start. Temporal Cloud
 * requires its own tools for this and rejects the request, so the error names the attributes.
 */
export async function ensureSearchAttributes(client: Client, namespace: string): Promise<void> {
  const { customAttributes = {} } = await client.connection.operatorService.listSearchAttributes({ namespace })
  const missing = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => !(name in (customAttributes ?? {})))
  if (missing.length === 0) return
  try {
    await addSearchAttributes(client, namespace, missing)
  } catch (cause) {
    const wanted = missing.map(({ name, type }) => `${name} (${type})`).join(', ')
    throw new Error(`Temporal's namespace "${namespace}" lacks search attributes. Please register: ${wanted}`, {
      cause,
    })
  }
}

/** Registers search attributes that do not exist yet. */
export async function addSearchAttributes(
  client: Client,
  namespace: string,
  keys: readonly (typeof SEARCH_ATTRIBUTES)[keyof typeof SEARCH_ATTRIBUTES][] = Object.values(SEARCH_ATTRIBUTES),
): Promise<void> {
  await client.connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(keys.map(({ name, type }) => [name, TYPE_NUMBERS[type]])),
  })
}
