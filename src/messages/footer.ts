import { escapeHtml } from '../platform/html.ts'
import type { RenderedEmail } from '../rendering/index.ts'

/** Languages of the texts that Dripline adds for recipients. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

/** The direction in which a language is written. */
export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr')

/**
 * Returns the first supported language of some locales such as `de-CH` (RFC 5646), or English.
 * @param locales in order of preference, not validated
 */
export function languageOf(...locales: readonly unknown[]): Language {
  for (const locale of locales) {
    const primary = typeof locale === 'string' ? locale.trim().slice(0, 2).toLowerCase() : ''
    const found = LANGUAGES.find((language) => language === primary)
    if (found !== undefined && !/^[a-z]{3}/i.test((locale as string).trim())) return found
  }
  return 'en'
}

const UNSUBSCRIBE: Readonly<Record<Language, string>> = {
  en: 'Unsubscribe',
  de: 'Abmelden',
  fr: 'Se désabonner',
  es: 'Darse de baja',
  it: 'Annulla l’iscrizione',
  nl: 'Afmelden',
  ar: 'إلغاء الاشتراك',
}

export interface FooterOptions {
  url: string
  language: Language
  /** The sender's postal address; `null` if it is not set. */
  postalAddress: string | null
}

/**
 * Appends an unsubscribe link to an email that has none, and the sender's postal address if it is missing. The law requires both
 * in each marketing email (CAN-SPAM, 15 U.S.C. 7704(a)(5); Directive 2002/58/EC, article 13).
 */
export function withFooter(rendered: RenderedEmail, options: FooterOptions): RenderedEmail {
  const { html, text } = rendered
  return {
    ...rendered,
    html: html === null ? null : htmlWithFooter(html, options),
    text: text === null ? null : textWithFooter(text, options),
  }
}

function textWithFooter(text: string, { url, language, postalAddress }: FooterOptions): string {
  const lines = [
    ...(postalAddress === null || text.includes(postalAddress) ? [] : [postalAddress]),
    ...(text.includes(url) ? [] : [`${UNSUBSCRIBE[language]}: ${url}`]),
  ]
  // Signature separator: a line of two hyphens and a space (RFC 3676, section 4.3).
  return lines.length === 0 ? text : `${text.trimEnd()}\n\n-- \n${lines.join('\n')}\n`
}

const STYLE = 'margin:24px auto;max-width:600px;text-align:center;font:12px/1.5 sans-serif;color:#767676'

function htmlWithFooter(html: string, { url, language, postalAddress }: FooterOptions): string {
  const address = postalAddress === null ? '' : escapeHtml(postalAddress)
  const parts = [
    ...(address === '' || html.includes(address) ? [] : [address.replaceAll('\n', '<br>')]),
    ...(html.includes(url) ? [] : [`<a href="${escapeHtml(url)}" style="color:#767676">${UNSUBSCRIBE[language]}</a>`]),
  ]
  if (parts.length === 0) return html
  const footer = `<div lang="${language}" dir="${directionOf(language)}" style="${STYLE}">${parts.join('<br>')}</div>`
  const end = endOfBody(html)
  return end < 0 ? html + footer : html.slice(0, end) + footer + html.slice(end)
}

/** Returns the position of the end of the body, or -1 if there is none. Skips comments, in which a footer would be invisible. */
export function endOfBody(html: string): number {
  let end = -1
  let from = 0
  // One pass, so that many such tags do not take quadratic time.
  for (const { 0: found, index } of html.matchAll(/<!--|<\/body\s{0,9}>/gi)) {
    if (index < from) continue
    if (found !== '<!--') {
      end = index
      continue
    }
    // Browsers treat `<!-->` as a complete comment.
    const close = html.indexOf('-->', index + 2)
    if (close < 0) break
    from = close + 3
  }
  return end
}
