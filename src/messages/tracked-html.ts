import { Tokenizer } from 'htmlparser2'
import { escapeHtml } from '../platform/html.ts'
import { endOfBody } from './footer.ts'

/** How an email's links and opens are tracked. */
export interface Tracking {
  /** Whether a link stays as it is. */
  stays: (url: string) => boolean
  /** Returns the tracking URL for a link's target; `undefined` if there is none. @param links total number of links */
  linkVia?: ((url: string, links: number) => string | undefined) | undefined
  /** The URL of the invisible tracking image. */
  picture?: ((links: number) => string | undefined) | undefined
}

/** A link in HTML: the range of its address, and its target. */
interface Place {
  from: number
  to: number
  url: string
}

/**
 * Replaces the links of an email with tracking links, and adds an invisible image at its end that is loaded when it is opened.
 * All other bytes stay as they are.
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

/** Maximum number of tracked links in an email. Later links stay untracked, because each tracked link makes the email longer. */
const MAX_LINKS = 2_000

/**
 * Finds the links to pages. `data-track="off"` excludes a link. Parses only tags and not their nesting, so that deeply nested
 * HTML does not take quadratic time.
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
        // If an attribute is repeated, the first one counts.
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

/** Finds the value of the first `href` of a tag, with its quotes. Browsers ignore later ones. */
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
