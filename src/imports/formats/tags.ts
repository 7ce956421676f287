import { parse } from 'csv-parse/sync'
import { RowProblem } from './format.ts'

/** Of all the tags of a contact. */
const MAX_CHARACTERS = 10_000

/** Words in one cell: a line of CSV of its own, as Mailchimp writes them, so that a tag may have a comma in it. */
export function tagsIn(cell: string): string[] {
  if (cell === '') return []
  if (cell.length > MAX_CHARACTERS) throw new RowProblem('Its tags are too long')
  try {
    const [words = []] = parse(cell, { relax_quotes: true, trim: true })
    return words.map((word) => word.trim()).filter((word) => word !== '')
  } catch {
    throw new RowProblem('Its tags cannot be told apart')
  }
}
