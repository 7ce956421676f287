import type { RenderedEmail } from '../rendering/index.ts'

/** Where Gmail cuts an HTML off, in bytes. */
const CLIPPED_BYTES = 102 * 1024
/** Where most mailboxes cut a subject off, in characters. */
const LONG_SUBJECT = 70

/** Who hides where a link leads: filters count that. */
const SHORTENERS =
  /^https?:\/\/(?:www\.)?(?:bit\.ly|tinyurl\.com|goo\.gl|t\.co|ow\.ly|is\.gd|buff\.ly|rebrand\.ly|cutt\.ly)\//i

export interface LintWarning {
  code: string
  message: string
}

/** Where an email leads, each once: from its HTML, or from its text where there is none. What is not closed is no tag: nothing is gone through twice. */
export function linksIn({ html, text }: RenderedEmail): string[] {
  const found =
    html === null
      ? [...(text ?? '').matchAll(/https?:\/\/[^\s<>"')\]]+/g)].map(([url]) => url)
      : [...html.matchAll(/<a\s(?:[^<>]*?\s)?href\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/gi)].map(([, double, single]) =>
          (double ?? single ?? '').replaceAll('&amp;', '&'),
        )
  return [...new Set(found)].filter((url) => url !== '' && !url.startsWith('#')).slice(0, 200)
}

/**
 * What is mostly not meant, or is what filters look for. None of it keeps an email from being sent.
 * @param unsubscribeUrl the address at which the recipient would say that she wants no more
 */
export function lintTemplate(rendered: RenderedEmail, unsubscribeUrl: string): LintWarning[] {
  const { subject, html, text } = rendered
  const links = linksIn(rendered)
  const images = html?.match(/<img\b[^<>]*>/gi) ?? []
  const words = (text ?? '').replace(/https?:\/\/\S+/g, '').trim()
  const all: [is: boolean, code: string, message: string][] = [
    [
      html !== null && Buffer.byteLength(html) > CLIPPED_BYTES,
      'clipped',
      'Gmail cuts an email off behind 102 KB of HTML',
    ],
    [
      ![html, text].some((body) => body?.includes(unsubscribeUrl)),
      'no_unsubscribe_link',
      'It has no {{ unsubscribeUrl }}: a line with it is put below, unless the email is transactional',
    ],
    [subject === '', 'no_subject', 'It has no subject'],
    [
      [...subject].length > LONG_SUBJECT,
      'long_subject',
      `Most mailboxes cut a subject off behind ${LONG_SUBJECT} characters`,
    ],
    [
      /\p{L}{4}/u.test(subject) && subject === subject.toUpperCase() && subject !== subject.toLowerCase(),
      'shouting',
      'A subject in capitals looks like spam to filters',
    ],
    [
      /[!?]{2}|!.*!/.test(subject),
      'exclamations',
      'More than one exclamation mark in a subject looks like spam to filters',
    ],
    [
      /^\s*(?:re|fwd?|aw|wg)\s*:/i.test(subject),
      'false_reply',
      'A subject that looks like a reply and is none looks like spam to filters, and is forbidden in places',
    ],
    [
      images.some((image) => !/\salt\s*=/i.test(image)),
      'no_alt',
      'A picture has no alt text: who sees no pictures sees nothing',
    ],
    [
      images.length > 0 && words.length < 100,
      'pictures_alone',
      'It is hardly anything but pictures, which filters take for spam',
    ],
    [
      links.some((url) => SHORTENERS.test(url)),
      'shortened_link',
      'A shortened link hides where it leads, which filters take for spam',
    ],
    [links.some((url) => url.startsWith('http:')), 'plain_http', 'A link leads to http: instead of https:'],
    [
      html !== null && /<(?:script|form|iframe|object|embed)\b/i.test(html),
      'active_content',
      'Mailboxes take scripts, forms and frames out, or refuse the email',
    ],
  ]
  return all.flatMap(([is, code, message]) => (is ? [{ code, message }] : []))
}
