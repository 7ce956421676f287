/**
 * Maximum number of marks on a letter. No language needs more (Unicode Standard Annex #15, section 13). Two letters become marks
 * in some forms.
 */
const EXCESS_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/**
 * Converts a text to a normal form of Unicode. Marks after the thirtieth on one letter are dropped: sorting them takes time that
 * grows with the square of their number, and blocks the process (ten seconds for 200 KB).
 *
 * @see https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format
 */
export const normalForm = (text: string, form: 'NFC' | 'NFKC' | 'NFKD' = 'NFC'): string =>
  text.replace(EXCESS_MARKS, '$1').normalize(form)
