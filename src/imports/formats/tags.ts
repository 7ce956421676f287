import { parse } from 'csv-parse/sync'
import { RowProblem } from './format.ts'

/** Maximum length of all tags of a contact together. */
const MAX_CHARACTERS = 10_000

/** Parses the tags of a cell. As in Mailchimp's exports, the cell is itself a line of CSV, so a tag can contain a comma. */
export function tagsIn(cell: string): string[] {
  if (cell === '') return []
  if (cell.length > MAX_CHARACTERS) throw new RowProblem('The tags are too long')
  try {
    const [tags = []] = parse(cell, { relax_quotes: true, trim: true })
    return tags.map((tag) => tag.trim()).filter((tag) => tag !== '')
  } catch {
    throw new RowProblem('The tags are not a valid list')
  }
}
