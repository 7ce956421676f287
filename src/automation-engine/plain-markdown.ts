/**
 * A text as itself where Markdown is read, as Temporal's UI does with summaries and details: a name makes no headings, rows,
 * links or pictures for operators.
 *
 * @see https://spec.commonmark.org/0.31.2/#backslash-escapes
 */
export const plainMarkdown = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .replace(/[\\`*_~[\]<>|!#&$]/g, '\\$&')
    // What begins a list or a line across, and what is made a link without any sign: nothing can be seen of what breaks it.
    .replace(/^[-+=]/, '\\$&')
    .replace(/^(\d+)(?=[.)])/, '$1\\')
    .replaceAll('://', ':\u200b//')
