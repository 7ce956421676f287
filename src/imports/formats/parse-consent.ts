import { beforeBrackets, FileProblem, foldedWord, wordIn } from './format.ts'

// Also as spreadsheets say it in German, French, Spanish, Italian and Portuguese, and Postgres.
const TRUE = 'true|t|yes|y|1|x|on|✓|✔|☑|checked|ticked|ja|wahr|oui|vrai|sí|si|sì|verdadero|vero|sim|verdadeiro'.split(
  '|',
)
const FALSE = 'false|f|no|n|0|off|nein|falsch|non|faux|falso|não|nao'.split('|')
/** As they are compared: see `foldedWord`. The first ones also with more behind, as "Unsubscribed by admin" … */
const OUT =
  /^(?:unsub(?:scribed?)?|opt(?:ed)?out|(?:block|black)list(?:ed)?|hardbounced?|softbounced?|bounced|suppressed|donot(?:e?mail|contact|market)|abgemeldet|abbestellt|ausgetragen|uitgeschreven|disiscritt|désabonn|désinscri|(?:not|non|never)subscribed)|^(?:markedasspam|bounce|bouncing|cleaned|complain(?:ed|t)|spam(?:complaint)?)$/
/** … but not with this: "Opted out: no". */
const BUT_NOT = /^[:=,;]?(?:no|never|false|0)$/
const IN = 'subscribed|optedin|optin|active|enabled|confirmed'.split('|')

const NOTHING = ['null', 'none', 'never', 'n/a', '-']

/** When it was said: that it was is what counts. Some write no time as a day that there is not. */
const isInstant = (word: string): boolean => /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?!\d)/.test(word) && !isNoDay(word)
const isNoDay = (word: string): boolean => /^0{1,4}[-/.]0{1,2}[-/.]0{1,4}(?!\d)/.test(word)

/**
 * Whether somebody wants mail, by a cell of a column that says whether she has subscribed, or the opposite.
 *
 * @returns `undefined` where it says neither: guessing would mail somebody who wants none
 */
export function wantsMail(cell: string, column: 'subscribed' | 'unsubscribed'): boolean | undefined {
  const word = wordIn(cell).toLowerCase()
  const isSubscribed = column === 'subscribed'
  if (word === '') return true
  // That she has never left is a word for her; that she has never joined is none.
  if (NOTHING.includes(word) || isNoDay(word)) return isSubscribed ? undefined : true
  if (saysOut(cell)) return false
  if (TRUE.includes(word) || isInstant(word)) return isSubscribed
  if (FALSE.includes(word)) return !isSubscribed
  // "active" in a column for who has left can be said of either.
  return IN.includes(foldedWord(cell)) && isSubscribed ? true : undefined
}

/** Whether a cell of any column says that somebody is to be mailed no more. */
export function saysOut(cell: string): boolean {
  const word = foldedWord(beforeBrackets(cell))
  const [said] = OUT.exec(word) ?? []
  return said !== undefined && !BUT_NOT.test(word.slice(said.length))
}

export const saysYes = (cell: string): boolean => {
  const word = wordIn(cell).toLowerCase()
  return TRUE.includes(word) || isInstant(word) || IN.includes(foldedWord(cell))
}

export const saysNo = (cell: string): boolean => {
  const word = wordIn(cell).toLowerCase()
  return FALSE.includes(word) || NOTHING.includes(word) || isNoDay(word) || /^0(?:[.,]0+)? ?%?$/.test(word)
}

/** By which columns the file of another service is known. */
const SERVICES = {
  listmonk: ['uuid', 'attributes', 'status'],
  mailchimp: ['leid', 'euid'],
}

/**
 * @param titles that nobody has chosen a field for
 * @throws {FileProblem} where they are another service's: what says there who has opted out would be taken for data
 */
export function assertOfNoService(titles: readonly string[]): void {
  const names = new Set(titles.map((title) => title.toLowerCase()))
  for (const [service, columns] of Object.entries(SERVICES))
    if (columns.every((column) => names.has(column)))
      throw new FileProblem(
        `This is a file of ${service}, by its columns (${columns.join(', ')}): import it as that (--format ${service}), or who has left ` +
          'there would be mailed. Where it is none, choose what these columns are',
      )
}
