import PostalMime, { type Email } from 'postal-mime'

/** What the parser has found of text, by where it stands. */
type Found = Map<unknown, { plain?: { value: unknown }[]; html?: { value: unknown }[] }>

/** So much of an HTML is looked at: what a server has to say comes first. */
const MOST_HTML = 20_000

const textOf = ({ value }: { value: unknown }): string => (typeof value === 'string' ? value : '')

/** What stands between the tags of an HTML, which is all that is asked of it. */
const wordsOf = (entry: { value: unknown }): string =>
  textOf(entry)
    .slice(0, MOST_HTML)
    .replace(/<[^<>]*>/g, ' ')

/**
 * The parts of a mail, and its plain text as it stands there. The parser makes plain text of HTML, too, where a mail has both in different
 * places; its expression for links takes hours of a hundred kilobytes that somebody has thought of, so only what is between tags is taken.
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
