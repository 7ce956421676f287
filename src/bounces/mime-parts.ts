import PostalMime, { type Email } from 'postal-mime'

/** Text that the parser found, by its position in the MIME tree. */
type Found = Map<unknown, { plain?: { value: unknown }[]; html?: { value: unknown }[] }>

/** Maximum characters of HTML to read. Servers put their explanation first. */
const MAX_HTML = 60_000

const textOf = ({ value }: { value: unknown }): string => (typeof value === 'string' ? value : '')

const INVISIBLE = /<!--|<(head|style|script|title)\b/gi
const LINE_END = /<(?:br|\/(?:p|div|tr|li|h[1-6]))\b[^<>]*>/gi
const ENTITIES: Readonly<Record<string, string>> = { nbsp: ' ', lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

/** Converts HTML to plain text, with a paragraph per line. */
const visibleTextOf = (entry: { value: unknown }): string =>
  withoutInvisible(textOf(entry).slice(0, MAX_HTML))
    .replace(LINE_END, '\n')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(nbsp|lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name]!)

/** Removes invisible elements in one pass. An element without an end extends to the end of the text. */
function withoutInvisible(html: string): string {
  let seen = ''
  let from = 0
  for (;;) {
    INVISIBLE.lastIndex = from
    const begin = INVISIBLE.exec(html)
    if (!begin) return seen + html.slice(from)
    seen += html.slice(from, begin.index)
    const end = begin[1] === undefined ? /-->/g : new RegExp(`</${begin[1]}\\s*>`, 'gi')
    end.lastIndex = INVISIBLE.lastIndex
    if (!end.exec(html)) return seen
    from = end.lastIndex
  }
}

/**
 * Parser of the parts of a mail and of its plain text. Converts HTML to text itself if a part has no plain text: the
 * conversion of `postal-mime` matches links with an expression that takes hours for a hundred kilobytes of crafted input.
 */
export class MimeParts extends PostalMime {
  declare private readonly textMap: Found
  declare private readonly textContent: { plain?: string }

  /** Overrides the method that version 4.0 calls after the last line. @internal */
  renderTextContent(): void {
    const texts = [...this.textMap.values()].flatMap(
      ({ plain, html = [] }) => plain?.map(textOf) ?? html.map(visibleTextOf),
    )
    this.textContent.plain = texts.join('\n')
  }

  declare parse: (raw: Uint8Array) => Promise<Email>
}
