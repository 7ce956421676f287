/**
 * Escapes a text for Markdown, which Temporal's UI renders in summaries and details. A name must not create headings, tables,
 * links or images there.
 *
 * @see https://spec.commonmark.org/0.31.2/#backslash-escapes
 */
export const plainMarkdown = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .replace(/[\\`*_~[\]<>|!#&$]/g, '\\$&')
    // Characters that start a list or a thematic break, and bare URLs. The escape itself is not visible.
    .replace(/^[-+=]/, '\\$&')
    .replace(/^(\d+)(?=[.)])/, '$1\\')
    .replaceAll('://', ':\u200b//')
