import { stringify } from 'csv-stringify/sync'
import { FileProblem } from './format.ts'

const COLUMNS = ['id', 'email', 'subscribed', 'data', 'createdAt', 'snoozedUntil']

/**
 * Writes what Plunk's API answers as CSV: a page, an array of pages or of contacts, or one of them on each line. Its first version has
 * `data` as a text of JSON, its second one as an object.
 *
 * @throws {FileProblem} where it is neither
 */
export function plunkToCsv(text: string): string {
  const contacts = documentsIn(text).flatMap(contactsIn)
  const rows = contacts.map((contact) =>
    COLUMNS.map((column) => {
      const value = contact[column]
      return value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
    }),
  )
  return stringify([COLUMNS, ...rows])
}

function documentsIn(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    // A document on each line, perhaps.
  }
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    try {
      return [JSON.parse(line) as unknown]
    } catch {
      throw new FileProblem(`It is no JSON, as a whole or in line ${at + 1}`)
    }
  })
}

function contactsIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(contactsIn)
  if (typeof value !== 'object' || value === null)
    throw new FileProblem('It has something that is no contact of Plunk’s')
  const of = value as Record<string, unknown>
  if (typeof of['email'] === 'string') return [of]
  if (Array.isArray(of['data'])) return of['data'].flatMap(contactsIn)
  throw new FileProblem('It has something that is no contact of Plunk’s, and no page of its API')
}
