import { beforeBrackets, FileProblem, normalizeTitle, visibleText } from './format.ts'

// Includes the spellings of Postgres and of spreadsheets in German, French, Spanish, Italian and Portuguese.
const TRUE = 'true|t|yes|y|1|x|on|✓|✔|☑|checked|ticked|ja|wahr|oui|vrai|sí|si|sì|verdadero|vero|sim|verdadeiro'.split(
  '|',
)
const FALSE = 'false|f|no|n|0|off|nein|falsch|non|faux|falso|não|nao'.split('|')
/** Opt-outs, as folded by `normalizeTitle`. Those of the first group may have a suffix, as in "Unsubscribed by admin", … */
const OUT =
  /^(?:unsub(?:scribed?)?|opt(?:ed)?out|(?:block|black)list(?:ed)?|hardbounced?|softbounced?|bounced|suppressed|donot(?:e?mail|contact|market)|abgemeldet|abbestellt|ausgetragen|uitgeschreven|disiscritt|désabonn|désinscri|(?:not|non|never)subscribed)|^(?:markedasspam|bounce|bouncing|cleaned|complain(?:ed|t)|spam(?:complaint)?)$/
/** … but not one of these, as in "Opted out: no". */
const BUT_NOT = /^[:=,;]?(?:no|never|false|0)$/
const IN = 'subscribed|optedin|optin|active|enabled|confirmed'.split('|')

const NOTHING = ['null', 'none', 'never', 'n/a', '-']

/** Checks for a date: a date of an opt-in or opt-out counts as a yes. An invalid date such as 0000-00-00 means no date. */
const isInstant = (word: string): boolean => /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?!\d)/.test(word) && !isNoDay(word)
const isNoDay = (word: string): boolean => /^0{1,4}[-/.]0{1,2}[-/.]0{1,4}(?!\d)/.test(word)

/**
 * Reads from a cell of an opt-in or opt-out column whether a contact wants email.
 *
 * @returns `undefined` if the cell is neither: a wrong guess would email a contact who opted out
 */
export function wantsMail(cell: string, column: 'subscribed' | 'unsubscribed'): boolean | undefined {
  const word = visibleText(cell).toLowerCase()
  const isSubscribed = column === 'subscribed'
  if (word === '') return true
  // "Never unsubscribed" means subscribed, but "never subscribed" is unclear.
  if (NOTHING.includes(word) || isNoDay(word)) return isSubscribed ? undefined : true
  if (isOptOutCell(cell)) return false
  if (TRUE.includes(word) || isInstant(word)) return isSubscribed
  if (FALSE.includes(word)) return !isSubscribed
  // "active" is ambiguous in an opt-out column.
  return IN.includes(normalizeTitle(cell)) && isSubscribed ? true : undefined
}

/** Checks whether a cell of any column is an opt-out. */
export function isOptOutCell(cell: string): boolean {
  const word = normalizeTitle(beforeBrackets(cell))
  const [match] = OUT.exec(word) ?? []
  return match !== undefined && !BUT_NOT.test(word.slice(match.length))
}

export const isYes = (cell: string): boolean => {
  const word = visibleText(cell).toLowerCase()
  return TRUE.includes(word) || isInstant(word) || IN.includes(normalizeTitle(cell))
}

export const isNo = (cell: string): boolean => {
  const word = visibleText(cell).toLowerCase()
  return FALSE.includes(word) || NOTHING.includes(word) || isNoDay(word) || /^0(?:[.,]0+)? ?%?$/.test(word)
}

/** Columns that identify the file of another service. */
const SERVICES = {
  listmonk: ['uuid', 'attributes', 'status'],
  mailchimp: ['leid', 'euid'],
}

/**
 * @param titles of columns without a chosen field
 * @throws {FileProblem} if they belong to another service, because its opt-outs would become metadata
 */
export function assertNoOtherService(titles: readonly string[]): void {
  const names = new Set(titles.map((title) => title.toLowerCase()))
  for (const [service, columns] of Object.entries(SERVICES))
    if (columns.every((column) => names.has(column)))
      throw new FileProblem(
        `The columns ${columns.join(', ')} are those of a ${service} file. Import it with --format ${service}, or contacts ` +
          'who unsubscribed there would be emailed. If it is not such a file, choose a field for these columns.',
      )
}
