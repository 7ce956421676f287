/** Emails that consist of blocks, and their conversion to MJML. */
import { escapeHtml } from '../platform/html.ts'
import { liquidParts } from '../rendering/index.ts'

export const PARAGRAPH_STYLES = ['PARAGRAPH', 'HEADING', 'SMALL_HEADING', 'BULLET', 'NUMBER'] as const
export const ALIGNMENTS = ['LEFT', 'CENTER', 'RIGHT'] as const
type Alignment = (typeof ALIGNMENTS)[number]

/** A part of a text with one style. */
interface Run {
  text: string
  bold?: boolean | undefined
  italic?: boolean | undefined
  underline?: boolean | undefined
  /** The target of the link. */
  link?: string | undefined
}

/** A paragraph, a heading, or a list item. Consecutive items form one list. */
interface Paragraph {
  style: (typeof PARAGRAPH_STYLES)[number]
  runs: readonly Run[]
}

/** The blocks of an email. All texts and addresses are Liquid. */
export type PlainBlock =
  | { type: 'TEXT'; paragraphs: readonly Paragraph[]; align?: Alignment | undefined }
  | { type: 'BUTTON'; label: string; url: string; align?: Alignment | undefined }
  | { type: 'IMAGE'; url: string; alt: string; link?: string | undefined; width?: number | undefined }
  | { type: 'DIVIDER' }
  | { type: 'SPACER'; height: number }
  /** HTML that is used unchanged. */
  | { type: 'CODE'; html: string }

/** A block, or columns of blocks, which are stacked on narrow screens. */
export type Block = PlainBlock | { type: 'COLUMNS'; columns: readonly { blocks: readonly PlainBlock[] }[] }

/** Colors as `#rrggbb`. Dark mode has others. */
interface Theme {
  /** The background around the content. */
  page?: string | undefined
  surface?: string | undefined
  text?: string | undefined
  /** Buttons and links. */
  accent?: string | undefined
}

/** An email of blocks, as the dashboard's editor writes it. */
export interface Design {
  theme?: Theme | undefined
  blocks: readonly Block[]
}

const USUAL = { page: '#f3f6f8', surface: '#ffffff', text: '#131b1f', accent: '#026b98' } as const
/** System fonts only: MJML would load others from third parties. */
const FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"

/** MJML, and for each of its lines the number of its block, from 1, or 0 for none. */
export interface DesignMjml {
  mjml: string
  blockOfLine: readonly number[]
}

/** Converts an email of blocks to MJML. */
export function mjmlOf({ theme = {}, blocks }: Design): DesignMjml {
  const colors = { ...USUAL, ...Object.fromEntries(Object.entries(theme).filter(([, color]) => color)) }
  const parts = [headOf(colors), ...blocks.map((block) => sectionOf(block, colors)), '</mj-body></mjml>']
  const blockOfLine = parts.flatMap((part, n) =>
    part.split('\n').map(() => (n === 0 || n === parts.length - 1 ? 0 : n)),
  )
  return { mjml: parts.join('\n'), blockOfLine }
}

type Colors = Required<Record<keyof Theme, string>>

const headOf = ({ page, text, accent }: Colors): string =>
  `<mjml><mj-head><mj-attributes><mj-all font-family="${FONT}" />` +
  `<mj-text font-size="16px" line-height="1.6" color="${text}" />` +
  `<mj-button font-size="16px" border-radius="6px" background-color="${accent}" color="#ffffff" />` +
  '</mj-attributes><mj-style>:root{color-scheme:light dark;supported-color-schemes:light dark}' +
  `a{color:${accent}}` +
  '@media (prefers-color-scheme:dark){.page,.page>div{background-color:#0b0f11!important}' +
  '.surface,.surface>table{background-color:#191f22!important}' +
  '.words,.words div,.words td,.words p,.words h1,.words h2,.words li{color:#eaedef!important}.words a{color:#76c8f9!important}}' +
  '</mj-style><mj-style inline="inline">.words p,.words h1,.words h2,.words ul,.words ol{margin:0 0 12px}' +
  '.words h1{font-size:26px;line-height:1.3}.words h2{font-size:20px;line-height:1.3}</mj-style></mj-head>' +
  `<mj-body background-color="${page}" css-class="page">`

function sectionOf(block: Block, { surface }: Colors): string {
  const columns = block.type === 'COLUMNS' ? block.columns : [{ blocks: [block] }]
  const inside = columns.map(({ blocks }) => `<mj-column>${blocks.map(plainOf).join('')}</mj-column>`).join('')
  return `<mj-section background-color="${surface}" css-class="surface" padding="6px 12px">${inside}</mj-section>`
}

function plainOf(block: PlainBlock): string {
  switch (block.type) {
    case 'TEXT':
      return `<mj-text css-class="words"${alignOf(block.align)}>${paragraphsOf(block.paragraphs)}</mj-text>`
    case 'BUTTON':
      return `<mj-button href="${attribute(block.url)}"${alignOf(block.align ?? 'CENTER')}>${words(block.label)}</mj-button>`
    case 'IMAGE': {
      const link = block.link === undefined || block.link === '' ? '' : ` href="${attribute(block.link)}"`
      const width = block.width === undefined ? '' : ` width="${block.width}px"`
      return `<mj-image src="${attribute(block.url)}" alt="${attribute(block.alt)}"${link}${width} />`
    }
    case 'DIVIDER':
      return '<mj-divider border-width="1px" border-color="#c6ced1" />'
    case 'SPACER':
      return `<mj-spacer height="${block.height}px" />`
    case 'CODE':
      return `<mj-text css-class="words">${block.html}</mj-text>`
  }
}

const alignOf = (align: Alignment | undefined): string => (align === undefined ? '' : ` align="${align.toLowerCase()}"`)

const LISTS: Partial<Record<Paragraph['style'], string>> = { BULLET: 'ul', NUMBER: 'ol' }
const TAGS = { PARAGRAPH: 'p', HEADING: 'h1', SMALL_HEADING: 'h2', BULLET: 'li', NUMBER: 'li' } as const

function paragraphsOf(paragraphs: readonly Paragraph[]): string {
  let html = ''
  let open: string | undefined
  for (const { style, runs } of paragraphs) {
    const list = LISTS[style]
    if (open !== list) html += (open ? `</${open}>` : '') + (list ? `<${list}>` : '')
    open = list
    const tag = TAGS[style]
    // An empty paragraph keeps its height.
    html += `<${tag}>${withWholeTags(runs).map(runOf).join('') || '&nbsp;'}</${tag}>`
  }
  return html + (open ? `</${open}>` : '')
}

/** Merges runs that split a Liquid tag: markup inside a tag would change it. The tag gets the combined style of its parts. */
function withWholeTags(runs: readonly Run[]): Run[] {
  const take = takerOf(runs)
  const whole = liquidParts(runs.map(({ text }) => text).join('')).flatMap((part, n) => {
    const within = take(part.length)
    if (n % 2 === 0 || within.length === 1) return within
    const has = (mark: 'bold' | 'italic' | 'underline') => within.some((run) => run[mark] === true)
    const link = within.find((run) => run.link)?.link
    return [{ text: part, bold: has('bold'), italic: has('italic'), underline: has('underline'), link }]
  })
  return joined(whole)
}

/** Returns a function that takes the next characters of runs. */
function takerOf(runs: readonly Run[]) {
  let [index, used] = [0, 0]
  return (length: number): Run[] => {
    const taken: Run[] = []
    for (let left = length; left > 0;) {
      const run = runs[index]!
      const text = run.text.slice(used, used + left)
      if (text !== '') taken.push({ ...run, text })
      left -= text.length
      used += text.length
      if (used === run.text.length) [index, used] = [index + 1, 0]
    }
    return taken
  }
}

/** Merges consecutive runs with the same style. */
function joined(runs: readonly Run[]): Run[] {
  const all: Run[] = []
  for (const run of runs) {
    const last = all.at(-1)
    if (last && styleOf(last) === styleOf(run)) all[all.length - 1] = { ...last, text: last.text + run.text }
    else all.push(run)
  }
  return all
}

const styleOf = ({ bold = false, italic = false, underline = false, link = '' }: Run): string =>
  JSON.stringify([bold, italic, underline, link])

function runOf({ text, bold, italic, underline, link }: Run): string {
  let html = words(text)
  if (underline) html = `<u>${html}</u>`
  if (italic) html = `<em>${html}</em>`
  if (bold) html = `<strong>${html}</strong>`
  return link === undefined || link === '' ? html : `<a href="${attribute(link)}">${html}</a>`
}

/** Converts a text to HTML, and leaves Liquid unchanged. */
const words = (text: string): string =>
  liquidParts(text)
    .map((part, n) => (n % 2 === 1 ? part : escapeHtml(part).replaceAll('\n', '<br />')))
    .join('')

/** Converts a text to an attribute value. Liquid in the value uses the other kind of quotes. */
const attribute = (text: string): string =>
  liquidParts(text.replace(/\s+/g, ' ').trim())
    .map((part, n) => (n % 2 === 1 ? part.replace(/"([^"']*)"/g, "'$1'").replaceAll('"', '&quot;') : escapeHtml(part)))
    .join('')

/** Elements whose content browsers read as plain text until they end. `<plaintext>` has no end. */
const RAW = ['style', 'script', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']

/** Constructs that swallow everything that follows if they are not closed, and how they end. */
const ENDS: Readonly<Record<string, string>> = {
  '<!--': '-->',
  '<![cdata[': ']]>',
  ...Object.fromEntries(RAW.map((tag) => [`<${tag}`, tag === 'plaintext' ? '' : `</${tag}`])),
}
// `<!-->` does not start a comment: it is the end of one, or nothing.
const BORDERS = new RegExp(`<!--(?!-?>)|-->|<!\\[CDATA\\[|\\]\\]>|</?(?:${RAW.join('|')})\\b`, 'gi')

/** Returns a construct in the HTML that is not closed, or that closes something that was not opened. */
function unended(html: string): string | undefined {
  let open: string | undefined
  for (const [border] of html.matchAll(BORDERS)) {
    const word = border.toLowerCase()
    if (open === undefined) {
      if (word in ENDS) open = word
      else if (word === ']]>') return word
    } else if (word === ENDS[open]) open = undefined
  }
  return open
}

/** Checks the HTML of blocks before the conversion to MJML: an unclosed construct would swallow the following blocks. */
export function findUnclosedHtml(design: Design): string | undefined {
  for (const [n, block] of design.blocks.entries()) {
    const inside = block.type === 'COLUMNS' ? block.columns.flatMap(({ blocks }) => blocks) : [block]
    for (const each of inside) {
      const open = each.type === 'CODE' ? unended(each.html) : undefined
      if (open === undefined) continue
      return open === ']]>'
        ? `in block ${n + 1}: ${open} closes something that was not opened`
        : `in block ${n + 1}: ${open} is not closed, and would include everything after it`
    }
  }
  return undefined
}
