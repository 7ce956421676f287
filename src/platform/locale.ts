// cspell:ignore Adlm Hebr Nkoo Rohg Syrc Thaa
/** A locale as it is compared: `zh_Hant_TW` is `zh-hant-tw`. */
export const localeKey = (given: string): string => given.trim().replaceAll('_', '-').toLowerCase()

/** A locale and those that it falls back to (RFC 4647, section 3.4): `zh-hant-tw`, `zh-hant`, `zh`. */
export const localeFallbacks = (key: string): string[] => {
  const parts = key.split('-')
  return parts.map((_part, n) => parts.slice(0, parts.length - n).join('-'))
}

/** SQL expression: the locale in the expression and those that it falls back to, the longest first. Locales have at most four parts. */
export const localeFallbacksSql = (key: string): string =>
  `array[${key}, ${[1, 2, 3].map((n) => `regexp_replace(${key}, '^(.+?)(-[^-]+){${n}}$', '\\1')`).join(', ')}]`

/** The canonical form of a locale (BCP 47), such as `de-CH`. @returns `undefined` if it is none */
export function canonicalLocale(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > 50) return undefined
  try {
    return Intl.getCanonicalLocales(localeKey(given))[0]
  } catch {
    return undefined
  }
}

/** Scripts that are written from right to left (Unicode CLDR). */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg'])

/** The direction in which a language is written. */
export const directionOf = (locale: string): 'rtl' | 'ltr' =>
  RIGHT_TO_LEFT.has(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr'
