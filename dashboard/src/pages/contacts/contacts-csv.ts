import { csvOf } from '../../lib/csv.ts'
import type { Contact } from './columns.tsx'

/** Writes contacts as CSV, with a column for each attribute that one of them has. */
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
