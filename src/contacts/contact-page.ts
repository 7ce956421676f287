import { array } from 'yup'
import { pageResponse, listOf, type Page, rangeOf, writeOnlyNote } from '../http/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { listContacts, type ContactSearch } from './search-contacts.ts'
import { contactResponse, presentContact } from './responses.ts'

/** The part of a description that explains the response for a key that may not read contacts. */
export const WRITE_ONLY_NOTE = writeOnlyNote('contacts:read')

/** The response of operations that return contacts. */
export const contactPage = {
  description: 'A page of contacts.',
  schema: listOf(array().of(contactResponse).required()),
}

/** A page of the contacts that match a search. */
export async function listContactPage(em: EntityManager, workspaceId: string, search: ContactSearch, page: Page) {
  const { contacts, total } = await listContacts(em, workspaceId, search, rangeOf(page))
  return pageResponse(contacts.map(presentContact), page, total)
}
