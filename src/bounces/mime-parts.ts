import PostalMime, { type Email } from 'postal-mime'

/** What the parser has found of text, by where it stands. */
type Found = Map<unknown, { plain?: { value: unknown }[] }>

/**
 * The parts of a mail, and its plain text as it stands there. The parser makes plain text of HTML, too, where a mail has both in different
 * places; its expression for links takes hours of a hundred kilobytes that somebody has thought of, and nobody needs that text.
 */
export class MimeParts extends PostalMime {
  declare private readonly textMap: Found
  declare private readonly textContent: { plain?: string }

  /** Overrides what version 4.0 calls behind the last line. @internal */
  renderTextContent(): void {
    const texts = [...this.textMap.values()].flatMap(({ plain = [] }) => plain)
    this.textContent.plain = texts.map(({ value }) => (typeof value === 'string' ? value : '')).join('\n')
  }

  declare parse: (raw: Uint8Array) => Promise<Email>
}
