import { stringify } from 'csv-stringify/sync'
import { FileProblem } from './cells.ts'

const COLUMNS = ['id', 'email', 'subscribed', 'data', 'createdAt', 'snoozedUntil']

/**
 * Converts responses of Plunk's API to CSV: a page, an array of pages or of contacts, or one of them per line. Version 1 of that
 * API has `data` as a JSON string, version 2 as an object.
 *
 * @throws {FileProblem} if the text is neither
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
    // Try one document per line.
  }
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    try {
      return [JSON.parse(line) as unknown]
    } catch {
      throw new FileProblem(`The file is not JSON, neither as a whole nor on line ${at + 1}`)
    }
  })
}

function contactsIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(contactsIn)
  if (typeof value !== 'object' || value === null)
    throw new FileProblem('The file contains a value that is not a Plunk contact')
  const of = value as Record<string, unknown>
  if (typeof of['email'] === 'string') return [of]
  if (Array.isArray(of['data'])) return of['data'].flatMap(contactsIn)
  throw new FileProblem('The file contains an object that is neither a Plunk contact nor a page of its API')
}
