import PostalMime, { type Email } from 'postal-mime'

/** What the parser has found of text, by where it stands. */
type Found = Map<unknown, { plain?: { value: unknown }[]; html?: { value: unknown }[] }>

/** So much of an HTML is looked at: what a server has to say comes first. */
const MAX_HTML = 60_000

const textOf = ({ value }: { value: unknown }): string => (typeof value === 'string' ? value : '')

const UNSEEN = /<!--|<(head|style|script|title)\b/gi
const LINE_END = /<(?:br|\/(?:p|div|tr|li|h[1-6]))\b[^<>]*>/gi
const ENTITIES: Readonly<Record<string, string>> = { nbsp: ' ', lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

/** What an HTML shows, as far as that is asked: its words, each paragraph on a line. */
const wordsOf = (entry: { value: unknown }): string =>
  withoutUnseen(textOf(entry).slice(0, MAX_HTML))
    .replace(LINE_END, '\n')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(nbsp|lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name]!)

/** What nobody sees of it goes: each place is looked at once, and what does not end has the rest. */
function withoutUnseen(html: string): string {
  let seen = ''
  let from = 0
  for (;;) {
    UNSEEN.lastIndex = from
    const begin = UNSEEN.exec(html)
    if (!begin) return seen + html.slice(from)
    seen += html.slice(from, begin.index)
    const end = begin[1] === undefined ? /-->/g : new RegExp(`</${begin[1]}\\s*>`, 'gi')
    end.lastIndex = UNSEEN.lastIndex
    if (!end.exec(html)) return seen
    from = end.lastIndex
  }
}

/**
 * The parts of a mail, and its plain text as it stands there. The parser makes plain text of HTML, too, where a mail has both in different
 * places; its expression for links takes hours of a hundred kilobytes that somebody has thought of, so it is made here, of what has no plain text.
 */
export class MimeParts extends PostalMime {
  declare private readonly textMap: Found
  declare private readonly textContent: { plain?: string }

  /** Overrides what version 4.0 calls behind the last line. @internal */
  renderTextContent(): void {
    const texts = [...this.textMap.values()].flatMap(({ plain, html = [] }) => plain?.map(textOf) ?? html.map(wordsOf))
    this.textContent.plain = texts.join('\n')
  }

  declare parse: (raw: Uint8Array) => Promise<Email>
}
