import { type Api, DisplayableError } from '../../api/client.ts'
import { count } from '../../lib/format.ts'
import type { Contact } from './columns.tsx'

/** The filters of a list of contacts, without its page. */
export interface ContactFilters {
  q?: string | undefined
  email?: string | undefined
  listId?: string | undefined
  tag?: string | undefined
  segmentId?: string | undefined
}

/** The maximum number of contacts of an export: they are held in the memory of the browser. */
const MAX_EXPORTED = 100_000
const PAGE_SIZE = 100

/**
 * Reads all contacts that match, newest first.
 *
 * @param onProgress gets how many were read, and how many match
 * @throws {DisplayableError} if too many match
 */
export async function readContacts(
  api: Api,
  filters: ContactFilters,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (read: number, total: number) => void },
): Promise<Contact[]> {
  const found = new Map<string, Contact>()
  let before = 0
  for (let page = 1; ;) {
    const query = { ...filters, page, limit: PAGE_SIZE } as { page: number; limit: number }
    const { data, pagination } = (await api.GET('/contacts', { params: { query }, signal })).data
    const { total, totalPages } = pagination
    if (total > MAX_EXPORTED)
      throw new DisplayableError(
        `An export has at most ${count(MAX_EXPORTED)} contacts, and ${count(total)} match. Filter the list, or export the workspace on the command line.`,
      )
    for (const contact of data) found.set(contact.id, contact)
    onProgress(Math.min(found.size, total), total)
    // The race: contacts that are deleted in the meantime move later ones to pages that were read. The guard: these pages are read again.
    // Test: test/dashboard/contacts.test.ts.
    const gone = Math.max(0, before - total)
    before = total
    if (gone === 0 && page >= totalPages) return [...found.values()]
    page = gone > 0 ? Math.max(1, page - Math.ceil(gone / PAGE_SIZE)) : page + 1
  }
}
