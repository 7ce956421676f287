import { type Language } from '../messages/index.ts'
import { escapeHtml } from '../platform/html.ts'
import type { Preferences } from './queries.ts'
import { PAGE_TEXTS } from './words.ts'

/** Allows only the page's own content, and forms that post back to it. */
export const PAGE_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText }
main { max-width: 32rem; margin: 12vh auto 3rem; padding: 0 1.25rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem }
fieldset { border: 0; margin: 0 0 1rem; padding: 0 } legend { padding: 0 } label { display: flex; gap: .6rem; padding: .35rem 0; overflow-wrap: anywhere }
input { width: 1.1rem; height: 1.1rem; margin-top: .25rem; flex: none }
button { font: inherit; padding: .6rem 1.1rem; border-radius: .5rem; border: 1px solid GrayText; background: ButtonFace; color: ButtonText; cursor: pointer }
button:focus-visible, input:focus-visible { outline: 3px solid Highlight; outline-offset: 2px }
form + form { margin-top: 2.5rem } p { margin: 0 0 .75rem } small { display: block; margin-top: .5rem }
[role=status] { padding: .6rem .9rem; border: 1px solid; border-radius: .5rem }`

/** Keeps "e-mail" on one line. */
const withoutBreaks = (html: string): string => html.replace(/\b(e)-(?=mail)/gi, '$1\u2011')

const page = (language: Language, title: string, body: string): string =>
  `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body><main>
${withoutBreaks(body)}
</main></body>
</html>
`

/** The contents of the page. The sender of an erased contact is unknown. */
type PreferencesShown = Pick<Preferences, 'isUnsubscribed' | 'lists'> & { senderName: string | null }

/** A line that names the sender. */
const from = (senderName: string | null): string =>
  senderName === null ? '' : `<p><strong>${escapeHtml(senderName)}</strong></p>`

/** The preferences page. It does not show the address, because emails with their links are forwarded. */
export function preferencesPage(
  language: Language,
  { senderName, isUnsubscribed, lists }: PreferencesShown,
  isSaved: boolean,
): string {
  const words = PAGE_TEXTS[language]
  if (isUnsubscribed) return donePage(language, { senderName, mayComeBack: true })
  const saved = isSaved ? `<p role="status">${words.saved}</p>` : ''
  const boxes = lists.map(
    ({ id, name, isMember }) =>
      `<label><input type="checkbox" name="list" value="${id}"${isMember ? ' checked' : ''}>${escapeHtml(name)}</label>`,
  )
  const ofLists =
    lists.length === 0
      ? ''
      : `<form method="post"><input type="hidden" name="choice" value="lists">
<fieldset><legend>${words.choose}</legend>${boxes.join('\n')}</fieldset>
<button>${words.save}</button></form>`
  return page(
    language,
    words.title,
    `${from(senderName)}<h1>${words.title}</h1>${saved}
${ofLists}
<form method="post"><input type="hidden" name="choice" value="nothing">
<button>${words.everything}</button><small>${words.everythingMeans}</small></form>`,
  )
}

/** The page for an unsubscribed contact. @param of.mayComeBack whether to offer to subscribe again; not after an erasure */
export function donePage(
  language: Language,
  { senderName, mayComeBack }: { senderName: string | null; mayComeBack: boolean },
): string {
  const words = PAGE_TEXTS[language]
  const back = mayComeBack
    ? `<form method="post"><input type="hidden" name="choice" value="everything"><button>${words.again}</button></form>`
    : ''
  return page(language, words.done, `${from(senderName)}<h1>${words.done}</h1><p>${words.everythingMeans}</p>${back}`)
}

/** The page that asks a contact to confirm a list. @param listName `null` if there is nothing to confirm */
export function confirmPage(language: Language, listName: string | null): string {
  const words = PAGE_TEXTS[language]
  if (listName === null)
    return page(language, words.confirm, `<h1>${words.nothingToConfirm}</h1><p>${words.nothingMeans}</p>`)
  return page(
    language,
    words.confirm,
    `<h1>${words.confirm}</h1><p>${words.confirmAsks}</p><p><strong>${escapeHtml(listName)}</strong></p>
<form method="post"><input type="hidden" name="choice" value="confirm">
<button>${words.confirmYes}</button><small>${words.confirmElse}</small></form>`,
  )
}

export const confirmedPage = (language: Language): string =>
  page(
    language,
    PAGE_TEXTS[language].confirmed,
    `<h1>${PAGE_TEXTS[language].confirmed}</h1><p>${PAGE_TEXTS[language].confirmedMeans}</p>`,
  )

export const failedPage = (language: Language, words: 'notFound' | 'failed'): string =>
  page(language, PAGE_TEXTS[language].title, `<p>${PAGE_TEXTS[language][words]}</p>`)
