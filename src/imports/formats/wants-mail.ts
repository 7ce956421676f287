import { beforeBrackets, FileProblem, foldedWord, wordIn } from './format.ts'

// Also as spreadsheets say it in German, French, Spanish, Italian and Portuguese, and Postgres.
const TRUE = 'true|t|yes|y|1|x|on|ja|wahr|oui|vrai|sí|si|sì|verdadero|vero|sim|verdadeiro'.split('|')
const FALSE = 'false|f|no|n|0|off|nein|falsch|non|faux|falso|não|nao'.split('|')
/** As they are compared: see `foldedWord`. The first ones also with more behind: "Unsubscribed by admin". */
const OUT =
  /^(?:unsub(?!.*(?:no|never|false|0)$)|optedout|optout|blocklist|blacklist|(?:hard|soft)?bounc(?:ed|e$|ing)|suppressed|donot(?:mail|email|contact|market)|abgemeldet|abbestellt|désabonn|désinscri|(?:not|non|never)subscribed|cleaned$|complain(?:ed|t)$|spam(?:complaint)?$)/
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
export const saysOut = (cell: string): boolean => OUT.test(foldedWord(beforeBrackets(cell)))

/** Columns that may tell who wants no mail, by what they are called: where a cell of them says yes, … */
const OF_OUT =
  /unsub|opt(?:ed|s)?out|blacklist|blocklist|suppress|bounce|complain|^clean|donot(?:mail|email|contact|send|market)|^no(?:e?mail|marketing)|^dn[ce]$|blocked|invalid|spam|abgemeldet|abbestellt|désabonn|désinscri/
/** … where it says anything but yes, … */
const OF_IN =
  /opt(?:ed|s)?in|accepts|consent|marketing|newsletter|permission|mailing|receive|e?mail(?:allowed|ok)|canbe(?:e?mailed|contacted)|wants(?:e?mail|news)|einwilligung|werbung/
/** … and where it says that somebody is one of these. */
const OF_STATE = /subscri|^(?:e?mail(?:ing)?|contact|marketing|newsletter|list)*(?:status|state)$/
const NO_STATE =
  /^(?:inactive|blocked|disabled|spam|pending|unconfirmed|archived|cancell?ed|denied|declined|revoked|withdrawn|deleted|removed|expired|paused|invalid|complain|not|non|never)/
/** Where and how it was said: "Opt-in IP". */
const OF_ITS_SAYING = /(?:ip|source|page|url|link|text|language)$/

/**
 * Whether a cell of a column that nobody has chosen may say that somebody wants no mail. It is asked then, for a guess would mail her, or keep
 * from mailing somebody else for good.
 */
export function mayBeOut(title: string, cell: string): boolean {
  const word = wordIn(cell).toLowerCase()
  if (word === '') return false
  if (saysOut(cell)) return true
  const column = foldedWord(title)
  const isNo = FALSE.includes(word) || NOTHING.includes(word)
  if (OF_OUT.test(column)) return !isNo && !isNoDay(word) && !word.startsWith('http')
  if (OF_STATE.test(column) && (isNo || NO_STATE.test(foldedWord(cell)))) return true
  if (!OF_IN.test(column) || OF_ITS_SAYING.test(column)) return false
  return !TRUE.includes(word) && !isInstant(word) && !IN.includes(foldedWord(cell))
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
