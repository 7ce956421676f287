import { directionOf, type Language } from '../messages/index.ts'
import { escapeHtml } from '../platform/html.ts'
import type { Brand, Preferences } from './queries.ts'
import { PAGE_TEXTS } from './words.ts'

/** Allows only the page's own content, the logo, and forms that post back to it. */
export const PAGE_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const DEFAULT_COLOR = '#026b98'

/** The brand color has a contrast of at least 4.5:1 with the page. On dark ground, texts and borders use a lighter mix of it. */
const styleOf = (color: string): string => `
:root { color-scheme: light dark; --brand: ${color}; --link: light-dark(var(--brand), color-mix(in oklab, var(--brand) 30%, white));
  --page: light-dark(#f4f3f0, #16181a); --paper: light-dark(#fffffe, #1f2224); --line: light-dark(#d9d7d2, #3b3f42); --quiet: light-dark(#5c5a55, #a9adb0) }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: var(--page); color: light-dark(#1c1b19, #eceeef); border-top: 4px solid var(--brand) }
header, main, footer { max-width: 35rem; margin: 0 auto; padding: 0 1.25rem; overflow-wrap: anywhere }
header { display: flex; align-items: center; gap: .75rem; padding-block: 1.75rem 1.25rem; font-weight: 600; color: var(--link) }
header img { max-height: 2.5rem; max-width: 10rem }
main { padding-block: 2rem; padding-inline: 2.5rem; background: var(--paper); border: 1px solid var(--line); border-radius: .75rem }
footer { padding-block: 1.25rem 3rem; font-size: .875rem; color: var(--quiet); white-space: pre-line }
h1 { font-size: 1.75rem; line-height: 1.25; font-weight: 600; margin: 0 0 1rem }
fieldset { border: 0; margin: 0 0 1.25rem; padding: 0 } legend { padding: 0 0 .5rem; font-weight: 600 }
label { display: flex; gap: .75rem; padding: .75rem 0; border-top: 1px solid var(--line) } label:last-of-type { border-bottom: 1px solid var(--line) }
label small, form > small { display: block; color: var(--quiet) } form > small { margin-top: .5rem }
input { width: 1.25rem; height: 1.25rem; margin: .1rem 0 0; flex: none; accent-color: var(--brand) }
button { font: inherit; font-weight: 600; padding: .6rem 1.4rem; border-radius: .5rem; border: 1px solid light-dark(#8a8782, #767b7f); background: none; color: inherit; cursor: pointer }
button.main { border-color: var(--link); background: var(--brand); color: white }
button:focus-visible, input:focus-visible { outline: 3px solid Highlight; outline-offset: 2px }
form + form { margin-top: 2rem; padding-top: 1.5rem; border-top: 1px solid var(--line) } p { margin: 0 0 .75rem }
[role=status] { padding: .6rem .9rem; border: 1px solid var(--link); border-radius: .5rem }
@media (max-width: 38rem) { main { margin-inline: .75rem; padding-inline: 1.25rem } }`

/** Keeps "e-mail" on one line. */
const withoutBreaks = (html: string): string => html.replace(/\b(e)-(?=mail)/gi, '$1\u2011')

/** The look of a page: the sender and their brand. Unknown for a contact who was erased. */
type Look = { senderName: string | null; brand?: Brand } | undefined

function page(language: Language, title: string, look: Look, body: string): string {
  const { senderName = null, brand } = look ?? {}
  const logo = brand?.logoPath ? `<img src="${escapeHtml(brand.logoPath)}" alt="">` : ''
  const header = senderName === null ? '' : `<header>${logo}<span>${escapeHtml(senderName)}</span></header>`
  const footer = brand?.postalAddress ? `<footer>${escapeHtml(brand.postalAddress)}</footer>` : ''
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${styleOf(brand?.color ?? DEFAULT_COLOR)}</style>
</head>
<body>${header}<main>
${withoutBreaks(body)}
</main>${footer}</body>
</html>
`
}

/** The contents of the page. The sender of an erased contact is unknown. */
type PreferencesShown = Pick<Preferences, 'isUnsubscribed' | 'lists'> & NonNullable<Look>

/** The preferences page. It does not show the address, because emails with their links are forwarded. */
export function preferencesPage(
  language: Language,
  { isUnsubscribed, lists, ...look }: PreferencesShown,
  isSaved: boolean,
): string {
  const words = PAGE_TEXTS[language]
  if (isUnsubscribed) return donePage(language, { ...look, mayComeBack: true })
  const saved = isSaved ? `<p role="status">${words.saved}</p>` : ''
  const boxes = lists.map(
    ({ id, name, description, isMember }) =>
      `<label><input type="checkbox" name="list" value="${id}"${isMember ? ' checked' : ''}><span>${escapeHtml(name)}${
        description ? `<small>${escapeHtml(description)}</small>` : ''
      }</span></label>`,
  )
  const ofLists =
    lists.length === 0
      ? ''
      : `<form method="post"><input type="hidden" name="choice" value="lists">
<fieldset><legend>${words.choose}</legend>${boxes.join('\n')}</fieldset>
<button class="main">${words.save}</button></form>`
  return page(
    language,
    words.title,
    look,
    `<h1>${words.title}</h1>${saved}
${ofLists}
<form method="post"><input type="hidden" name="choice" value="nothing">
<button>${words.everything}</button><small>${words.everythingMeans}</small></form>`,
  )
}

/** The page for an unsubscribed contact. @param of.mayComeBack whether to offer to subscribe again; not after an erasure */
export function donePage(
  language: Language,
  { mayComeBack, ...look }: NonNullable<Look> & { mayComeBack: boolean },
): string {
  const words = PAGE_TEXTS[language]
  const back = mayComeBack
    ? `<form method="post"><input type="hidden" name="choice" value="everything"><button>${words.again}</button></form>`
    : ''
  return page(language, words.done, look, `<h1>${words.done}</h1><p>${words.everythingMeans}</p>${back}`)
}

/** The page that asks a contact to confirm a list. @param listName `null` if there is nothing to confirm */
export function confirmPage(language: Language, listName: string | null, look?: Look): string {
  const words = PAGE_TEXTS[language]
  if (listName === null)
    return page(language, words.confirm, look, `<h1>${words.nothingToConfirm}</h1><p>${words.nothingMeans}</p>`)
  return page(
    language,
    words.confirm,
    look,
    `<h1>${words.confirm}</h1><p>${words.confirmAsks}</p><p><strong>${escapeHtml(listName)}</strong></p>
<form method="post"><input type="hidden" name="choice" value="confirm">
<button class="main">${words.confirmYes}</button><small>${words.confirmElse}</small></form>`,
  )
}

export const confirmedPage = (language: Language, look?: Look): string =>
  page(
    language,
    PAGE_TEXTS[language].confirmed,
    look,
    `<h1>${PAGE_TEXTS[language].confirmed}</h1><p>${PAGE_TEXTS[language].confirmedMeans}</p>`,
  )

export const failedPage = (language: Language, words: 'notFound' | 'failed'): string =>
  page(language, PAGE_TEXTS[language].title, undefined, `<p>${PAGE_TEXTS[language][words]}</p>`)
