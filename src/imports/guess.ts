import { isEmailAddress } from '../platform/email-address.ts'
import { addressIn, normalizeTitle, normalizeValue, visibleText } from './cells.ts'
import type { ColumnDecision } from './decision.ts'
import { fieldOfTitle } from './titles.ts'
import { DATE_FORMATS, type DateFormat, NUMBER_FORMATS, parseBoolean, parseDate, parseNumber } from './values.ts'

export interface ColumnSample {
  /** Different values, as in the file. */
  samples: string[]
  /** The share of rows in which the column is filled. */
  filled: number
  /** All different values, if there are few. Empty cells are included. */
  values: string[] | null
  /** A suggestion; `null` if the column may hold consent. */
  guess: ColumnDecision | null
  /** Whether the column may hold consent, by its title or its values. */
  mayBeConsent: boolean
  /** The date formats that read all samples. If there are several, the guess may be wrong. */
  dateFormats: DateFormat[]
}

const MAX_SAMPLES = 3
const MAX_SAMPLE_LENGTH = 100
const MAX_VALUES = 12
/** A title is the name of a column. Longer ones are the text of a question. */
const MAX_KEY_LENGTH = 100

/**
 * Hints for titles and values that concern consent. A hint only keeps a column from being guessed: a column without one is
 * decided by the user too.
 */
const CONSENT =
  /sub?scri|suscri|s[ck]riv|iscri|abonn|opt(?:ed)?(?:in|out)|consent|einwill|newsletter|marketing|mailing|permission|gdpr|dsgvo|rgpd|lgpd|(?:e?mail|contact|promo|werbung|news)(?:ok|allowed|able|erlaubt)|(?:no|do?not|don.?t|never|stop|keine?|kein)(?:e?mail|contact|market|news|werb)|^dn[ce]|^dnd|block|blacklist|sperr|suppress|bounce|complain|spam|abgem|abmeld|abbest|austr|afgem|uitge|baja|cancel|annul|désins|revo[ck]|widerr|withdr|clean(?:ed|time)|undeliver|unreach|status|state$|estado|stato|statut/

/** Titles of attributes that often have two values, such as free and pro. */
const ATTRIBUTE =
  /^(?:plan|tier|tarif|pricing|edition|role|rolle|gender|sex|geschlecht|country|land|pays|city|stadt|language|lang|locale|sprache|langue|currency|company|firma|platform|device|os|version|size|color|colour)$/

/** Describes the columns of the first rows of a file. At most one column is guessed to hold the address. */
export function sampleColumns(titles: readonly string[], rows: readonly (readonly string[])[]): ColumnSample[] {
  let hasEmail = titles.some((title) => fieldOfTitle(title) === 'email')
  return titles.map((title, index) => {
    const cells = rows.map((row) => visibleText(row[index] ?? ''))
    const sample = sampleColumn(title, cells)
    if (sample.guess?.field !== 'email') return sample
    const guess = hasEmail ? { field: keyFor(title), type: 'text' as const } : sample.guess
    hasEmail = true
    return { ...sample, guess }
  })
}

function sampleColumn(title: string, cells: readonly string[]): ColumnSample {
  const different = [...new Set(cells)]
  const filled = different.filter((cell) => cell !== '')
  const dateFormats =
    filled.length === 0 ? [] : DATE_FORMATS.filter((format) => filled.every((cell) => parseDate(cell, format)))
  const mayBeConsent = isHinted(title, cells, different)
  const short = (cell: string) => cell.slice(0, MAX_SAMPLE_LENGTH)
  return {
    samples: filled.slice(0, MAX_SAMPLES).map(short),
    filled:
      cells.length === 0 ? 0 : Math.round((cells.filter((cell) => cell !== '').length / cells.length) * 100) / 100,
    values: different.length <= MAX_VALUES ? different.map(short).toSorted() : null,
    guess: mayBeConsent ? null : guessOf(title, filled, dateFormats),
    mayBeConsent,
    dateFormats,
  }
}

/** Checks for a hint in the title, in a value, or in the form: a checkbox or a yes or no may hold consent in any language. */
function isHinted(title: string, cells: readonly string[], different: readonly string[]): boolean {
  if (CONSENT.test(normalizeTitle(title).slice(0, 1_000))) return true
  const filled = different.filter((cell) => cell !== '')
  const times = cells.length - cells.filter((cell) => cell === '').length
  const isAttribute = ATTRIBUTE.test(normalizeTitle(title))
  const isBox = !isAttribute && (filled.length === 1 ? times < cells.length : filled.length === 2 && times > 2)
  const isYesOrNo = filled.length > 0 && filled.every((cell) => parseBoolean(cell) !== undefined)
  return isBox || isYesOrNo || filled.some((cell) => cell.length <= 40 && CONSENT.test(normalizeTitle(cell)))
}

const keyFor = (title: string): string => `metadata.${title.slice(0, MAX_KEY_LENGTH)}`

function guessOf(title: string, filled: readonly string[], dateFormats: readonly DateFormat[]): ColumnDecision {
  if (filled.length === 0) return { field: 'nothing' }
  // Some of the addresses may be misspelt.
  if (filled.filter((cell) => isEmailAddress(addressIn(cell))).length > filled.length / 2) return { field: 'email' }
  if (/^(?:tags|labels|etiketten|étiquettes|etiquetas|etichette)$/.test(normalizeValue(title)))
    return { field: 'tags', ...(filled.some((cell) => cell.includes(';')) && { format: ';' }) }
  const field = keyFor(title)
  if (dateFormats.length > 0) return { field, type: 'date', format: dateFormats[0] }
  // Leading zeros and plus signs are significant in codes and phone numbers.
  const isCode = filled.some((cell) => /^(?:0\d|\+)/.test(cell))
  const format = isCode
    ? undefined
    : NUMBER_FORMATS.find((each) => filled.every((cell) => parseNumber(cell, each) !== undefined))
  return format ? { field, type: 'number', format } : { field, type: 'text' }
}
