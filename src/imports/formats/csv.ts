import { FileProblem, type Format, metadataOf, optOutOf, RowProblem } from './format.ts'
import { tagsIn } from './tags.ts'

/** What a column may be called that nobody has chosen a field for. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  email: ['email', 'e-mail', 'email address', 'email_address', 'emailaddress'],
  firstName: ['firstname', 'first name', 'first_name'],
  externalId: ['externalid', 'external id', 'external_id'],
  tags: ['tags'],
  subscribed: ['subscribed'],
  unsubscribed: ['unsubscribed', 'opted out', 'opted_out'],
}
const FIELDS = Object.keys(NAMES)
const TRUE = ['true', 'yes', 'y', '1', 'x']
const FALSE = ['false', 'no', 'n', '0', '']

/** Any CSV file: columns by their names, or as they are chosen; what is nothing else is metadata. */
export const csv: Format = {
  name: 'csv',
  readHeader(header, { columns, as }) {
    const choices = new Map(columns.map(({ column, field }) => [column.trim(), field]))
    const titles = new Set(header.map((title) => title.trim()))
    const fields = header.map((title) => {
      const chosen = choices.get(title.trim())
      return (
        chosen ??
        FIELDS.find((field) => NAMES[field]!.includes(title.trim().toLowerCase())) ??
        `metadata.${title.trim()}`
      )
    })
    for (const { column } of columns)
      if (!titles.has(column.trim())) throw new FileProblem(`The header has no column "${column}"`)
    const at = (field: string) => fields.indexOf(field)
    const email = at('email')
    if (email < 0) throw new FileProblem('The header has no column for addresses: call it "email", or choose one')
    const [externalId, firstName, tags] = [at('externalId'), at('firstName'), at('tags')]
    // Of several columns, any may say it.
    const all = (wanted: string) => fields.flatMap((field, index) => (field === wanted ? [index] : []))
    const [subscribed, unsubscribed] = [all('subscribed'), all('unsubscribed')]
    const metadata = fields.flatMap((field, index) =>
      field.startsWith('metadata.') && field.length > 'metadata.'.length
        ? [[field.slice('metadata.'.length), index] as const]
        : [],
    )
    return (cells) => ({
      email: cells[email]!,
      contact: () => ({
        externalId: cells[externalId] || undefined,
        firstName: cells[firstName] || undefined,
        tags: tags < 0 ? undefined : tagsIn(cells[tags]!),
        metadata: metadataOf(metadata.map(([key, index]) => [key, cells[index]])),
      }),
      optOut:
        optOutOf(as) ??
        optOutOf(
          isAnyOut([
            ...subscribed.map((column) => () => isOut(cells[column], FALSE, 'subscribed')),
            ...unsubscribed.map((column) => () => isOut(cells[column], TRUE, 'unsubscribed')),
          ])
            ? 'UNSUBSCRIBED'
            : null,
        ),
    })
  },
}

/** @throws {RowProblem} where none says it, and one can't be read */
function isAnyOut(cells: readonly (() => boolean)[]): boolean {
  let problem: unknown
  for (const isOut of cells) {
    try {
      if (isOut()) return true
    } catch (error) {
      problem ??= error
    }
  }
  if (problem !== undefined) throw problem as Error
  return false
}

/** What is not seen, and says nothing. */
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g

/** @throws {RowProblem} where a cell says neither: guessing would mail somebody who wants none */
function isOut(cell: string | undefined, out: readonly string[], column: string): boolean {
  if (cell === undefined) return false
  const word = cell.replaceAll(INVISIBLE, '').trim().toLowerCase()
  if (column === 'subscribed' && word === '') return false
  if (!TRUE.includes(word) && !FALSE.includes(word)) throw new RowProblem(`${column} must be true or false`)
  return out.includes(word)
}

/** What a column can be chosen to be. */
export const isField = (field: string): boolean =>
  FIELDS.includes(field) || field === 'nothing' || /^metadata\.[^\0]{1,200}$/.test(field)
