/** More marks than that stand on no letter of any language (Unicode Standard Annex #15, section 13). Two letters become marks in some forms. */
const TOO_MANY = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/**
 * A text in one of the normal forms of Unicode. Marks beyond the thirtieth on one letter are left out: they are put in order by insertion, which
 * takes the square of their number, and nothing else of the process goes on meanwhile (ten seconds for 200 KB).
 *
 * @see https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format
 */
export const normalForm = (text: string, form: 'NFC' | 'NFKC' | 'NFKD' = 'NFC'): string =>
  text.replace(TOO_MANY, '$1').normalize(form)
