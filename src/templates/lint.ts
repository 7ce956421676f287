import type { RenderedEmail } from '../rendering/index.ts'

/** The HTML size in bytes beyond which Gmail clips an email. */
const CLIPPED_BYTES = 102 * 1024
/** The length in characters beyond which most mail clients truncate a subject. */
const LONG_SUBJECT = 70

/** Domains that hide the target of a link, which spam filters count against an email. */
const SHORTENERS =
  /^https?:\/\/(?:www\.)?(?:bit\.ly|tinyurl\.com|goo\.gl|t\.co|ow\.ly|is\.gd|buff\.ly|rebrand\.ly|cutt\.ly)\//i

export interface LintWarning {
  code: string
  message: string
}

/**
 * Lists the links of an email, without duplicates: those of its HTML, or of its text if there is none. Unclosed tags are
 * ignored, so the search takes linear time.
 */
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
 * Warns about probable mistakes and signs of spam. No warning keeps an email from being sent.
 *
 * @param unsubscribeUrl the address of the preferences page
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
      'Gmail clips emails with more than 102 KB of HTML',
    ],
    [subject === '', 'no_subject', 'There is no subject'],
    [
      [...subject].length > LONG_SUBJECT,
      'long_subject',
      `Most mail clients truncate subjects after ${LONG_SUBJECT} characters`,
    ],
    [
      /\p{L}{4}/u.test(subject) && subject === subject.toUpperCase() && subject !== subject.toLowerCase(),
      'shouting',
      'Spam filters distrust subjects in capital letters',
    ],
    [/[!?]{2}|!.*!/.test(subject), 'exclamations', 'Spam filters distrust subjects with several exclamation marks'],
    [
      /^\s*(?:re|fwd?|aw|wg)\s*:/i.test(subject),
      'false_reply',
      'Spam filters distrust subjects that pretend to be replies. In some countries they are illegal',
    ],
    [
      images.some((image) => !/\salt\s*=/i.test(image)),
      'no_alt',
      'An image has no alt text. Recipients who block images see nothing in its place',
    ],
    [
      images.length > 0 && words.length < 100,
      'pictures_alone',
      'Spam filters distrust emails that consist mostly of images',
    ],
    [
      links.some((url) => SHORTENERS.test(url)),
      'shortened_link',
      'Spam filters distrust shortened links, because they hide their target',
    ],
    [
      links.some((url) => url.startsWith('http:') && url !== unsubscribeUrl),
      'plain_http',
      'A link uses http: instead of https:',
    ],
    [
      html !== null && /<(?:script|form|iframe|object|embed)\b/i.test(html),
      'active_content',
      'Mail clients remove scripts, forms and frames, or block the email',
    ],
  ]
  return all.flatMap(([is, code, message]) => (is ? [{ code, message }] : []))
}
