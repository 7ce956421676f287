import {
  beforeBrackets,
  FileProblem,
  normalizeTitle,
  type Format,
  metadataOf,
  optOutOf,
  UnclearRow,
  visibleText,
} from './format.ts'
import { createConsentDetector } from './detect-consent-columns.ts'
import { tagsIn } from './tags.ts'
import { assertNoOtherService, isOptOutCell, wantsMail } from './parse-consent.ts'

/** Normalized titles by which a column is recognized if no field was chosen for it. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  email: ['email', 'emailaddress'],
  firstName: ['firstname'],
  externalId: ['externalid'],
  tags: ['tags'],
  /** A checkbox: an empty cell is an opt-out. */
  ticked: [],
  subscribed: ['subscribed', 'issubscribed', 'optin', 'optedin', 'emailoptin'],
  unsubscribed:
    'unsubscribed|unsubscribe|isunsubscribed|unsubscribedat|unsubscribedon|unsubscribeddate|unsubscribedate|unsubscribetime|unsubtime|optedout|optedoutat|optout|optoutat|optoutdate|emailoptout|hasoptedoutofemail'.split(
      '|',
    ),
}
const FIELDS = Object.keys(NAMES)

/** Maximum number of columns named in an error. */
const MAX_NAMED = 5
/** Maximum length of a title in an error. */
const MAX_TITLE = 50

/** Any CSV file. Columns are matched by choice or by name. All others become metadata. */
export const csv: Format = {
  name: 'csv',
  readHeader(header, { columns, as }) {
    const choices = new Map(columns.map(({ column, field }) => [visibleText(column), field]))
    const titles = header.map(visibleText)
    assertNoOtherService(titles.filter((title) => !choices.has(title)))
    const fields = titles.map((title) => {
      const chosen = choices.get(title)
      const named = FIELDS.find((field) => NAMES[field]!.includes(normalizeTitle(title)))
      // "Opted out (Y/N)" is an opt-out column, but "Email (old)" is not an email column.
      const isOptOut = NAMES['unsubscribed']!.includes(normalizeTitle(beforeBrackets(title)))
      return chosen ?? named ?? (isOptOut ? 'unsubscribed' : `metadata.${title}`)
    })
    for (const { column } of columns)
      if (!titles.includes(visibleText(column))) throw new FileProblem(`The header has no column "${column}"`)
    const at = (field: string) => fields.indexOf(field)
    const email = at('email')
    // If two columns have the same title, the first one counts: a choice cannot tell them apart.
    if (fields.some((field, index) => field === 'email' && titles[index] !== titles[email]))
      throw new FileProblem(
        'The header has two columns for addresses. Choose one of them, and another field for the other.',
      )
    if (email < 0) throw new FileProblem('The header has no column for addresses. Name it "email", or choose one.')
    const [externalId, firstName, tags] = [at('externalId'), at('firstName'), at('tags')]
    // Several columns may hold consent. Any of them can opt out.
    const all = (wanted: string) => fields.flatMap((field, index) => (field === wanted ? [index] : []))
    const [ticked, subscribed, unsubscribed] = [all('ticked'), all('subscribed'), all('unsubscribed')]
    const metadata = fields.flatMap((field, index) =>
      field.startsWith('metadata.') && field.length > 'metadata.'.length
        ? [[field.slice('metadata.'.length), index] as const]
        : [],
    )
    // Columns that are metadata only because no field was chosen for them.
    const unchosen = fields.flatMap((field, index) =>
      field.startsWith('metadata.') && !choices.has(titles[index]!)
        ? [{ index, mayBeOut: createConsentDetector(titles[index]!) }]
        : [],
    )
    /** An empty cell is ambiguous in a consent column, unless its title is "subscribed". */
    const isUnchecked = (cells: readonly string[], index: number): boolean =>
      fields[index] === 'subscribed' &&
      titles[index]!.toLowerCase() !== 'subscribed' &&
      visibleText(cells[index] ?? '') === ''
    /** A tag such as "unsubscribed" may be an opt-out, unless the column was chosen to be tags. */
    const mayBeTagged = (cells: readonly string[]): boolean => {
      if (tags < 0 || choices.has(titles[tags]!)) return false
      try {
        return tagsIn(cells[tags] ?? '').some(isOptOutCell)
      } catch {
        // Invalid tags fail the row later. Opt-outs are checked first.
        return false
      }
    }
    return (cells) => ({
      email: cells[email]!,
      externalId: cells[externalId] || undefined,
      contact: () => ({
        externalId: cells[externalId] || undefined,
        firstName: cells[firstName] || undefined,
        tags: tags < 0 ? undefined : tagsIn(cells[tags]!),
        metadata: metadataOf(metadata.map(([key, index]) => [key, cells[index]])),
      }),
      optOut: optOutOf(as) ?? optOutOf(isOut(cells) ? 'UNSUBSCRIBED' : null),
    })

    /** @throws {UnclearRow} if no cell is an opt-out, but one of them is ambiguous */
    function isOut(cells: readonly string[]): boolean {
      const said = [
        ...ticked.map((index) => {
          const cell = cells[index] ?? ''
          return { index, wants: visibleText(cell) === '' ? false : wantsMail(cell, 'subscribed') }
        }),
        ...subscribed.map((index) => ({ index, wants: wantsMail(cells[index] ?? '', 'subscribed') })),
        ...unsubscribed.map((index) => ({ index, wants: wantsMail(cells[index] ?? '', 'unsubscribed') })),
      ]
      if (said.some(({ wants }) => wants === false)) return true
      const unread = said.find(({ index, wants }) => wants === undefined || isUnchecked(cells, index))
      if (unread) {
        const title = titles[unread.index]!.slice(0, MAX_TITLE)
        throw new UnclearRow(
          cells[email]!,
          `The column "${title}" must be yes or no (true or false, 1 or 0) or a date. If it is data, choose "metadata.${title}"` +
            (fields[unread.index] === 'subscribed' ? '. If an empty cell means no, choose "ticked"' : ''),
        )
      }
      const unclear = unchosen.flatMap(({ index, mayBeOut }) => (mayBeOut(cells[index] ?? '') ? [index] : []))
      if (mayBeTagged(cells)) unclear.push(tags)
      if (unclear.length === 0) return false
      const untitled = unclear.find((index) => titles[index] === '')
      if (untitled !== undefined)
        throw new UnclearRow(
          cells[email]!,
          `Column ${untitled + 1} may be an opt-out, but has no title. Give it one, such as "unsubscribed".`,
        )
      const named = unclear.slice(0, MAX_NAMED).map((index) => `"${titles[index]!.slice(0, MAX_TITLE)}"`)
      throw new UnclearRow(
        cells[email]!,
        `These columns may hold opt-outs: ${named.join(', ')}. Choose a field for each: "unsubscribed" if it marks who opted out, ` +
          `"subscribed" if it marks who opted in, "ticked" if an empty cell also means no, or data (such as "${unclear[0] === tags ? 'tags' : `metadata.${titles[unclear[0]!]!.slice(0, MAX_TITLE)}`}")`,
      )
    }
  },
}

/** Checks whether a column can be mapped to a field. */
export const isField = (field: string): boolean =>
  FIELDS.includes(field) || field === 'nothing' || /^metadata\.[^\0]{1,200}$/.test(field)
