import { Parser } from 'htmlparser2'

/** Elements that contain only other MJML elements: text in them is dropped. The other elements contain what a recipient reads. */
const HOLDS_ELEMENTS: ReadonlySet<string> = new Set(
  ['mjml', 'head', 'attributes', 'body', 'wrapper', 'section', 'group', 'column', 'hero', 'social', 'navbar']
    .concat(['accordion', 'accordion-element', 'carousel'])
    .map((name) => (name === 'mjml' ? name : `mj-${name}`)),
)

/** A problem in the nesting of MJML elements, and the character where it is. */
export interface StructureProblem {
  problem: string
  at: number
}

/**
 * Finds the first position at which MJML would silently omit something: an unclosed element swallows what follows it, and text
 * between elements is dropped.
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
        if (name !== known && isMjml(known)) note(`<${name}> is not an MJML element: write <${known}>`, at)
        if (name === 'mj-include') note('<mj-include> is not supported: use a partial, {% render "name" %}', at)
        if (name === 'mj-body' && (bodies += 1) > 1)
          note('an email can have only one <mj-body>: a second one is dropped', at)
        open.push({ name, at })
      },
      oncdatastart() {
        note('<![CDATA[ is dropped where MJML is read as text: write &lt; and &amp; instead', parser.startIndex)
      },
      onclosetag(name, isImplied) {
        const last = open.pop()
        // A self-closing element ends where it starts.
        if (isImplied && last && isMjml(name) && parser.startIndex !== last.at) note(`<${name}> is not closed`, last.at)
      },
      ontext(text) {
        const within = open.at(-1)?.name
        if (within === undefined || !HOLDS_ELEMENTS.has(within)) return
        // Liquid tags are checked against the result of the compilation.
        const at = text.replaceAll(/\{%[^%]*%?\}?|&(?:nbsp|#160);/g, (tag) => ' '.repeat(tag.length)).search(/\S/)
        if (at >= 0) note(`text in <${within}> is dropped: put it into <mj-text>`, parser.startIndex + at)
      },
    },
    { xmlMode: true, decodeEntities: false },
  )
  parser.end(readable(source))
  return found
}

/**
 * Blanks out anything that only looks like a tag: `1 < 2`, `<3`, and comparisons in Liquid. MJML reads these as text, but this
 * parser would not. The length does not change.
 */
const readable = (source: string): string =>
  source
    .replaceAll(/\{[{%][^{}]{0,2000}[%}]\}/g, (tag) => tag.replaceAll(/[<>]/g, ' '))
    .replaceAll(/<(?![a-z/!?])/gi, ' ')

const isMjml = (name: string): boolean => name === 'mjml' || name.startsWith('mj-')
