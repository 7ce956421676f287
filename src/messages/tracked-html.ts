import { Tokenizer } from 'htmlparser2'
import { endOfBody, escapeHtml } from './footer.ts'

/** What becomes of an email's links, and of its opening. */
export interface Tracking {
  /** Which links stay as they are. */
  stays: (url: string) => boolean
  /** An address by way of us, for where a link leads; `undefined`: there is none. @param links how many there are in all */
  linkVia?: ((url: string, links: number) => string | undefined) | undefined
  /** The address of a picture that nobody sees. */
  picture?: ((links: number) => string | undefined) | undefined
}

/** A link as it stands in HTML: where its address begins and ends, and where it leads. */
interface Place {
  from: number
  to: number
  url: string
}

/**
 * Leads the links of an email by way of us, and puts a picture at its end that is fetched when it is opened. All else stays as it is, to
 * the letter.
 */
export function trackedHtml(html: string, { stays, linkVia, picture }: Tracking): string {
  const places = linkVia || picture ? linksOf(html).filter(({ url }) => !stays(url)) : []
  const links = new Set(places.map(({ url }) => url)).size
  let tracked = ''
  let at = 0
  for (const { from, to, url } of linkVia ? places : []) {
    const via = linkVia!(url, links)
    if (via === undefined) continue
    tracked += `${html.slice(at, from)}"${escapeHtml(via)}"`
    at = to
  }
  return withPicture(tracked + html.slice(at), picture?.(links))
}

const PICTURE_STYLE = 'display:block;width:1px;height:1px;border:0'

function withPicture(html: string, address: string | undefined): string {
  if (address === undefined) return html
  const picture = `<img src="${escapeHtml(address)}" width="1" height="1" alt="" style="${PICTURE_STYLE}">`
  const end = endOfBody(html)
  return end < 0 ? html + picture : html.slice(0, end) + picture + html.slice(end)
}

/** So many links of an email are led by way of us, the first ones: each makes it longer. */
const MAX_LINKS = 2_000

/**
 * Links to pages. `data-track="off"` keeps one as it is. Tags alone are looked for, and not how they lie in each other: whoever puts
 * thousands into each other keeps nobody waiting.
 */
function linksOf(html: string): Place[] {
  const places: Place[] = []
  const nothing = () => undefined
  let tag: { from: number; attributes: Map<string, string> } | undefined
  let name = ''
  let value = ''
  const end = (to: number) => {
    if (tag === undefined || tag.attributes.get('data-track') === 'off' || places.length === MAX_LINKS) return
    const url = tag.attributes.get('href')?.trim() ?? ''
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return
    const place = placeOfHref(html, tag.from, to + 1)
    if (place) places.push({ ...place, url })
  }
  const tokenizer = new Tokenizer(
    {},
    {
      onopentagname(from, to) {
        const isLink = /^(?:a|area)$/i.test(html.slice(from, Math.min(to, from + 5)))
        tag = isLink ? { from: from - 1, attributes: new Map() } : undefined
      },
      onattribname: (from, to) => void (name = tag ? html.slice(from, to).toLowerCase() : ''),
      onattribdata: (from, to) => void (value += tag ? html.slice(from, to) : ''),
      onattribentity: (codepoint) => void (value += tag ? String.fromCodePoint(codepoint) : ''),
      onattribend() {
        // The first of one name counts.
        if (tag && !tag.attributes.has(name)) tag.attributes.set(name, value)
        value = ''
      },
      onopentagend: end,
      onselfclosingtag: end,
      oncdata: nothing,
      onclosetag: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onprocessinginstruction: nothing,
      ontext: nothing,
      ontextentity: nothing,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return places
}

const TAG_NAME = /<[a-z]+/iy
const ATTRIBUTE = /[\s/]*([^\s=>/]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>]+))?/y

/** Where the value of the first `href` of a tag stands, with its quotes: a later one counts for nothing. */
function placeOfHref(html: string, from: number, to: number): { from: number; to: number } | undefined {
  TAG_NAME.lastIndex = from
  if (!TAG_NAME.test(html)) return undefined
  for (ATTRIBUTE.lastIndex = TAG_NAME.lastIndex; ATTRIBUTE.lastIndex < to;) {
    const found = ATTRIBUTE.exec(html)
    if (!found || ATTRIBUTE.lastIndex > to) return undefined
    const [, name = '', value] = found
    if (name.toLowerCase() === 'href' && value !== undefined)
      return { from: ATTRIBUTE.lastIndex - value.length, to: ATTRIBUTE.lastIndex }
  }
  return undefined
}
