import { parse } from 'csv-parse/sync'
import { RowProblem } from './cells.ts'
import type { Separator } from './values.ts'

/** Maximum length of all tags of a contact together. */
const MAX_CHARACTERS = 10_000

/**
 * Parses the tags of a cell. As in Mailchimp's exports, the cell is itself a line of CSV, so a tag can contain the separator.
 * Brackets of a JSON array are ignored.
 */
export function tagsIn(cell: string, separator: Separator = ','): string[] {
  if (cell.length > MAX_CHARACTERS) throw new RowProblem('The tags are too long')
  const line = /^\[(.*)\]$/s.exec(cell)?.[1] ?? cell
  if (line === '') return []
  try {
    const [tags = []] = parse(line, { delimiter: separator, relax_quotes: true, trim: true })
    return tags.map((tag) => tag.trim()).filter((tag) => tag !== '')
  } catch {
    throw new RowProblem('The tags are not a valid list')
  }
}
