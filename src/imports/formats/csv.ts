import {
  beforeBrackets,
  FileProblem,
  foldedWord,
  type Format,
  metadataOf,
  optOutOf,
  UnclearRow,
  wordIn,
} from './format.ts'
import { doubtOf } from './detect-consent-columns.ts'
import { tagsIn } from './tags.ts'
import { assertOfNoService, saysOut, wantsMail } from './parse-consent.ts'

/** What a column may be called that nobody has chosen a field for, as it is compared. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  email: ['email', 'emailaddress'],
  firstName: ['firstname'],
  externalId: ['externalid'],
  tags: ['tags'],
  /** A box: who has not ticked it wants no mail. */
  ticked: [],
  subscribed: ['subscribed', 'issubscribed', 'optin', 'optedin', 'emailoptin'],
  unsubscribed:
    'unsubscribed|unsubscribe|isunsubscribed|unsubscribedat|unsubscribedon|unsubscribeddate|unsubscribedate|unsubscribetime|unsubtime|optedout|optedoutat|optout|optoutat|optoutdate|emailoptout|hasoptedoutofemail'.split(
      '|',
    ),
}
const FIELDS = Object.keys(NAMES)

/** So many columns are told at once. */
const MAX_NAMED = 5
/** So much of a title is told. */
const MAX_TITLE = 50

/** Any CSV file: columns by their names, or as they are chosen; what is nothing else is metadata. */
export const csv: Format = {
  name: 'csv',
  readHeader(header, { columns, as }) {
    const choices = new Map(columns.map(({ column, field }) => [wordIn(column), field]))
    const titles = header.map(wordIn)
    assertOfNoService(titles.filter((title) => !choices.has(title)))
    const fields = titles.map((title) => {
      const chosen = choices.get(title)
      const named = FIELDS.find((field) => NAMES[field]!.includes(foldedWord(title)))
      // "Opted out (Y/N)" is that; an "Email (old)" is another one.
      const isOptOut = NAMES['unsubscribed']!.includes(foldedWord(beforeBrackets(title)))
      return chosen ?? named ?? (isOptOut ? 'unsubscribed' : `metadata.${title}`)
    })
    for (const { column } of columns)
      if (!titles.includes(wordIn(column))) throw new FileProblem(`The header has no column "${column}"`)
    const at = (field: string) => fields.indexOf(field)
    const email = at('email')
    // Of two that are called alike the first counts: they can't be told apart.
    if (fields.some((field, index) => field === 'email' && titles[index] !== titles[email]))
      throw new FileProblem('The header has two columns for addresses: choose one, and what the other is')
    if (email < 0) throw new FileProblem('The header has no column for addresses: call it "email", or choose one')
    const [externalId, firstName, tags] = [at('externalId'), at('firstName'), at('tags')]
    // Of several columns, any may say it.
    const all = (wanted: string) => fields.flatMap((field, index) => (field === wanted ? [index] : []))
    const [ticked, subscribed, unsubscribed] = [all('ticked'), all('subscribed'), all('unsubscribed')]
    const metadata = fields.flatMap((field, index) =>
      field.startsWith('metadata.') && field.length > 'metadata.'.length
        ? [[field.slice('metadata.'.length), index] as const]
        : [],
    )
    // What nobody has chosen a field for, and is data because of that.
    const unchosen = fields.flatMap((field, index) =>
      field.startsWith('metadata.') && !choices.has(titles[index]!)
        ? [{ index, mayBeOut: doubtOf(titles[index]!) }]
        : [],
    )
    /** A box that nobody has ticked is no word that she wants mail; a column called "subscribed" is taken to have one. */
    const isUnticked = (cells: readonly string[], index: number): boolean =>
      fields[index] === 'subscribed' &&
      titles[index]!.toLowerCase() !== 'subscribed' &&
      wordIn(cells[index] ?? '') === ''
    /** A label that says who wants no mail is none, where nobody has chosen that it is. */
    const mayBeTagged = (cells: readonly string[]): boolean => {
      if (tags < 0 || choices.has(titles[tags]!)) return false
      try {
        return tagsIn(cells[tags] ?? '').some(saysOut)
      } catch {
        // Its row fails for that; what else it may say comes first.
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

    /** @throws {UnclearRow} where nothing says it, and something can't be read */
    function isOut(cells: readonly string[]): boolean {
      const said = [
        ...ticked.map((index) => {
          const cell = cells[index] ?? ''
          return { index, wants: wordIn(cell) === '' ? false : wantsMail(cell, 'subscribed') }
        }),
        ...subscribed.map((index) => ({ index, wants: wantsMail(cells[index] ?? '', 'subscribed') })),
        ...unsubscribed.map((index) => ({ index, wants: wantsMail(cells[index] ?? '', 'unsubscribed') })),
      ]
      if (said.some(({ wants }) => wants === false)) return true
      const unread = said.find(({ index, wants }) => wants === undefined || isUnticked(cells, index))
      if (unread) {
        const title = titles[unread.index]!.slice(0, MAX_TITLE)
        throw new UnclearRow(
          cells[email]!,
          `The column "${title}" must say yes or no (true or false, 1 or 0), or when; where it is data, choose that: "metadata.${title}"` +
            (fields[unread.index] === 'subscribed' ? '; "ticked", where an empty cell is a no' : ''),
        )
      }
      const unclear = unchosen.flatMap(({ index, mayBeOut }) => (mayBeOut(cells[index] ?? '') ? [index] : []))
      if (mayBeTagged(cells)) unclear.push(tags)
      if (unclear.length === 0) return false
      const untitled = unclear.find((index) => titles[index] === '')
      if (untitled !== undefined)
        throw new UnclearRow(
          cells[email]!,
          `It may say who wants no mail in column ${untitled + 1}, which has no title: give it one, such as "unsubscribed"`,
        )
      const named = unclear.slice(0, MAX_NAMED).map((index) => `"${titles[index]!.slice(0, MAX_TITLE)}"`)
      throw new UnclearRow(
        cells[email]!,
        `It may say who wants no mail in ${named.join(', ')}: choose of each column whether it does ("unsubscribed", or "subscribed" where it ` +
          `says who wants some, "ticked" where an empty cell there is a no) or is data (such as "${unclear[0] === tags ? 'tags' : `metadata.${titles[unclear[0]!]!.slice(0, MAX_TITLE)}`}")`,
      )
    }
  },
}

/** What a column can be chosen to be. */
export const isField = (field: string): boolean =>
  FIELDS.includes(field) || field === 'nothing' || /^metadata\.[^\0]{1,200}$/.test(field)
