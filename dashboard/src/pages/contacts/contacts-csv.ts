import { type Api, DisplayableError } from '../../api/client.ts'
import { csvOf } from '../../lib/csv.ts'
import { count } from '../../lib/format.ts'
import type { Contact } from './columns.tsx'

/** The maximum number of contacts that the browser exports, and the contacts of a request. */
const MAX_CONTACTS = 10_000
const PAGE_SIZE = 100

/** Loads all contacts of a segment. @throws {DisplayableError} if there are too many */
export async function readContacts(api: Api, segmentId: string): Promise<Contact[]> {
  // By ID: a contact that is created in the meantime moves others to the next page.
  const contacts = new Map<string, Contact>()
  for (let page = 1; ; page += 1) {
    const query = { page, limit: PAGE_SIZE }
    const { data } = await api.GET('/segments/{id}/contacts', { params: { path: { id: segmentId }, query } })
    const { total, totalPages } = data.pagination
    if (total > MAX_CONTACTS)
      throw new DisplayableError(
        `The segment has ${count(total)} contacts. Up to ${count(MAX_CONTACTS)} can be exported here. Use the API for more.`,
      )
    for (const contact of data.data) contacts.set(contact.id, contact)
    if (page >= totalPages) return [...contacts.values()]
  }
}

/** Writes contacts as CSV, with a column for each attribute. */
export function csvOfContacts(
  contacts: readonly Contact[],
  lists: readonly { value: string; label: string }[],
): string {
  const keys = [...new Set(contacts.flatMap(({ metadata }) => Object.keys(metadata)))]
  const nameOf = (id: string) => lists.find(({ value }) => value === id)?.label ?? id
  return csvOf(
    ['email', 'firstName', 'externalId', 'lists', 'tags', 'suppressedBy', 'createdAt', ...keys],
    contacts.map(({ email, firstName, externalId, listIds, tags, suppressedBy, createdAt, metadata }) => [
      ...[email, firstName, externalId, listIds.map(nameOf).join(', '), tags.join(', '), suppressedBy, createdAt],
      ...keys.map((key) => metadata[key]),
    ]),
  )
}
