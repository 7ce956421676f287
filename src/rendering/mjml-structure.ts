import { Parser } from 'htmlparser2'

/** Elements that contain only other MJML elements, or nothing: text in them is dropped. The others contain what a recipient reads. */
const DROPS_TEXT: ReadonlySet<string> = new Set(
  ['mjml', 'head', 'attributes', 'body', 'wrapper', 'section', 'group', 'column', 'hero', 'social', 'navbar']
    .concat(['accordion', 'accordion-element', 'carousel', 'carousel-image', 'image', 'divider', 'spacer'])
    .map((name) => (name === 'mjml' ? name : `mj-${name}`)),
)

/** A problem in the nesting of MJML elements, and the character where it is. */
export interface StructureProblem {
  problem: string
  at: number
  /** Set if MJML would omit content, so that the template must be changed. */
  isLoss: boolean
}

const PART =
  'An email begins with <mjml><mj-body>. Save a part of an email with "kind": "PARTIAL", and include it in a template'

/**
 * Finds the positions at which MJML would silently omit something, in their order: an unclosed element swallows what follows it,
 * and text between elements, includes and elements outside of the email are dropped.
 */
export function findStructureProblems(source: string): StructureProblem[] {
  const text = readable(source)
  const open: { name: string; at: number; end: number }[] = []
  const found: StructureProblem[] = []
  const note = (problem: string, at: number, isLoss = true) => found.push({ problem, at, isLoss })
  let isAtEnd = false
  let root: number | undefined
  let bodies = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const at = parser.startIndex
        const known = name.toLowerCase()
        if (isMjml(name) && Object.keys(attributes).some((key) => key.includes('{')))
          note(`Liquid in the tag of <${name}> is dropped: put it into the value of an attribute`, at)
        else if (hasOpenQuote(name, attributes))
          note(`the quotation marks in the attributes of <${name}> do not match. In Liquid, use single ones`, at)
        if (name !== known && isMjml(known)) note(`<${name}> is not an MJML element: write <${known}>`, at)
        if (name === 'mj-include') note(explainInclude(attributes['path'] ?? ''), at)
        // In mj-attributes, it sets the defaults of the body.
        if (name === 'mj-body' && open.at(-1)?.name !== 'mj-attributes' && (bodies += 1) > 1)
          note('an email can have only one <mj-body>: a second one is dropped', at)
        if (name === 'mj-container')
          note('<mj-container> is from MJML 3: remove it, and set its attributes on <mj-body>', at)
        if (open.length === 0) {
          if (name !== 'mjml') note(`<${name}> is outside of <mjml>. ${isMjml(name) ? PART : FOR_HTML}`, at)
          else if (root !== undefined) note('an email can have only one <mjml>: only the last one is compiled', at)
          else root = at
        }
        open.push({ name, at, end: parser.endIndex + 1 })
      },
      oncdatastart() {
        note('<![CDATA[ is dropped where MJML is read as text: write &lt; and &amp; instead', parser.startIndex)
      },
      onclosetag(name, isImplied) {
        const last = open.pop()
        // A self-closing element ends where it starts.
        if (!isImplied || !last || !isMjml(name) || parser.startIndex === last.at) return
        const swallowed = text.slice(last.end, isAtEnd ? text.length : parser.startIndex).trim()
        note(`<${name}> is not closed`, last.at, swallowed !== '')
      },
      ontext(part) {
        const within = open.at(-1)?.name
        if (within !== undefined && !DROPS_TEXT.has(within)) return
        const at = part.replaceAll(/&(?:nbsp|#160);/g, (space) => ' '.repeat(space.length)).search(/\S/)
        if (at < 0) return
        const where = within === undefined ? 'outside of <mjml>' : `in <${within}>`
        const [what, target] = part.startsWith('{%', at) ? ['Liquid', 'mj-raw'] : ['text', 'mj-text']
        note(`${what} ${where} is dropped: put it into <${target}>`, parser.startIndex + at)
      },
    },
    { xmlMode: true, decodeEntities: false },
  )
  parser.write(text)
  isAtEnd = true
  parser.end()
  if (root === undefined && found.length === 0) note(`MJML must start with <mjml>. ${FOR_HTML}`, 0)
  if (root !== undefined && bodies === 0) note('<mjml> has no <mj-body>, which contains the email', root)
  return found.sort((a, b) => a.at - b.at)
}

/** Checks whether an attribute contains what follows it, because a quotation mark is missing or is one too many. */
const hasOpenQuote = (name: string, attributes: Record<string, string>): boolean =>
  Object.entries(attributes).some(([key, value]) => /<\/?mj-/.test(value) || (isMjml(name) && /["'<]/.test(key)))

const FOR_HTML = 'Set the format to HTML if the template is not MJML'

/** Explains how to replace an include, which would read a file. */
function explainInclude(path: string): string {
  const name = /([\w -]{1,60})(?:\.\w+)?$/.exec(path)?.[1] ?? 'name'
  return `<mj-include> is not supported: use a partial. Save the file as a template called "${name}" with "kind": "PARTIAL", and include it with {% render '${name}' %}`
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
