import { array } from 'yup'
import { listAnswer, listOf, type Page, rangeOf, withoutReading } from '../http/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { listContacts, type ContactSearch } from './search-contacts.ts'
import { contactResponse, presentContact } from './responses.ts'

/** What an operation that writes says of its answer. */
export const WITHOUT_READING = withoutReading('contacts:read')

/** How an operation describes its answer with contacts. */
export const contactPage = {
  description: 'A page of contacts.',
  schema: listOf(array().of(contactResponse).required()),
}

/** A page of the contacts that are looked for: of the workspace, of a list, of a segment. */
export async function answerContacts(em: EntityManager, workspaceId: string, search: ContactSearch, page: Page) {
  const { contacts, total } = await listContacts(em, workspaceId, search, rangeOf(page))
  return listAnswer(contacts.map(presentContact), page, total)
}
