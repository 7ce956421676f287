import { htmlToText } from 'html-to-text'

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } }))

/** Converts HTML to plain text, which some mail clients show instead and spam filters expect. */
export const plainTextOf = (html: string): string =>
  htmlToText(html, {
    wordwrap: false,
    selectors: [
      ...HEADINGS,
      { selector: 'img', format: 'skip' },
      { selector: 'style', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    ],
  }).trim()
