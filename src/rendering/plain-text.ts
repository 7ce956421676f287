import { htmlToText, type DomNode, type FormatCallback } from 'html-to-text'

/** The library's nodes have more than its types say. */
type Node = DomNode & { prev?: Node | null }

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } }))

/** Elements that begin a new line. A table with such cells lays out the email. */
const BLOCKS: ReadonlySet<string> = new Set(
  ['table', 'div', 'p', 'ul', 'ol', 'pre', 'blockquote', 'hr', 'section', 'article'].concat(
    HEADINGS.map(({ selector }) => selector),
  ),
)

const isCell = ({ name }: DomNode): boolean => name === 'td' || name === 'th'
const hasText = (node: DomNode): boolean =>
  node.type === 'text' ? /\S/.test(node.data ?? '') : anyChild(node, hasText)
const hasBlock = (node: DomNode): boolean => anyChild(node, (child) => BLOCKS.has(child.name ?? '') || hasBlock(child))
const anyChild = ({ children }: Partial<DomNode>, is: (child: DomNode) => boolean): boolean =>
  children?.some(is) ?? false

/** Checks whether a cell holds a value, such as a number, instead of a part of the layout. */
const isValue = (cell: DomNode): boolean => hasText(cell) && !hasBlock(cell)

/** The cell before this one in its row. Liquid between cells is text. */
function cellBefore({ prev }: Node): Node | undefined {
  let node = prev
  while (node && !isCell(node)) node = node.prev
  return node ?? undefined
}

/**
 * Separates the values of a row with bars, so that "2" and "300 €" do not become "2300 €" or "2 300 €". The library's format for
 * data tables would drop Liquid between rows, and align columns by the length of the Liquid.
 */
const formatCell: FormatCallback = (cell, walk, builder) => {
  const before = cellBefore(cell)
  if (before) builder.addInline(isValue(before) && isValue(cell) ? ' | ' : ' ')
  walk(cell.children, builder)
}

/** Prints the alternative text of an image, without its URL. */
const formatImage: FormatCallback = (image, _walk, builder) =>
  builder.addInline(` ${(image.attribs as Record<string, string> | undefined)?.['alt'] ?? ''} `)

/** Converts HTML to plain text, which some mail clients show instead and spam filters expect. */
export const plainTextOf = (html: string): string =>
  htmlToText(html, {
    wordwrap: false,
    // The default ones, and the non-breaking space, with which layouts fill cells.
    whitespaceCharacters: ' \t\r\n\f\u200b\u00a0',
    formatters: { cell: formatCell, altText: formatImage },
    selectors: [
      ...HEADINGS,
      { selector: 'img', format: 'altText' },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'td', format: 'cell' },
      { selector: 'th', format: 'cell' },
      { selector: 'style', format: 'skip' },
      { selector: '[aria-hidden="true"]', format: 'skip' },
      // Preview texts, which mail clients show after the subject.
      { selector: 'div[style*="display:none"]', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    ],
  })
    .replace(/\n{3,}/g, '\n\n')
    .trim()
