import { Parser } from 'htmlparser2'

/** They hold other elements of MJML, and words in them are dropped. The others hold what a recipient reads. */
const HOLDS_ELEMENTS: ReadonlySet<string> = new Set(
  ['mjml', 'head', 'attributes', 'body', 'wrapper', 'section', 'group', 'column', 'hero', 'social', 'navbar']
    .concat(['accordion', 'accordion-element', 'carousel'])
    .map((name) => (name === 'mjml' ? name : `mj-${name}`)),
)

/** What is wrong with how the elements of MJML stand in each other, and at which character. */
export interface StructureProblem {
  problem: string
  at: number
}

/**
 * The first place at which MJML would leave something out without a word: an element that is not closed takes what is behind it, and words
 * between elements are dropped.
 */
export function findStructureProblem(source: string): StructureProblem | undefined {
  const open: { name: string; at: number }[] = []
  let found: StructureProblem | undefined
  let bodies = 0
  const note = (problem: string, at: number) => {
    if (!found || at < found.at) found = { problem, at }
  }
  const parser = new Parser(
    {
      onopentagname(name) {
        const at = parser.startIndex
        const known = name.toLowerCase()
        if (name !== known && isMjml(known)) note(`<${name}> is no element of MJML: write <${known}>`, at)
        if (name === 'mj-include') note('<mj-include> reads no file here: use a partial, {% render "name" %}', at)
        if (name === 'mj-body' && (bodies += 1) > 1)
          note('there is one <mj-body> in an email: a second one is dropped', at)
        open.push({ name, at })
      },
      oncdatastart() {
        note('<![CDATA[ is dropped where MJML is read as text: write &lt; and &amp; instead', parser.startIndex)
      },
      onclosetag(name, isImplied) {
        const last = open.pop()
        // One that closes itself is closed where it begins.
        if (isImplied && last && isMjml(name) && parser.startIndex !== last.at) note(`<${name}> is not closed`, last.at)
      },
      ontext(text) {
        const within = open.at(-1)?.name
        if (within === undefined || !HOLDS_ELEMENTS.has(within)) return
        // Tags of Liquid are told of where they are not in what came of it.
        const at = text.replaceAll(/\{%[^%]*%?\}?|&(?:nbsp|#160);/g, (tag) => ' '.repeat(tag.length)).search(/\S/)
        if (at >= 0) note(`words in <${within}> are dropped: put them into <mj-text>`, parser.startIndex + at)
      },
    },
    { xmlMode: true, decodeEntities: false },
  )
  parser.end(readable(source))
  return found
}

/**
 * As long as the source, and without what only looks like a tag: `1 < 2`, `<3`, and whatever Liquid compares. MJML reads all of that as words,
 * and this parser would have what is behind it.
 */
const readable = (source: string): string =>
  source
    .replaceAll(/\{[{%][^{}]{0,2000}[%}]\}/g, (tag) => tag.replaceAll(/[<>]/g, ' '))
    .replaceAll(/<(?![a-z/!?])/gi, ' ')

const isMjml = (name: string): boolean => name === 'mjml' || name.startsWith('mj-')
