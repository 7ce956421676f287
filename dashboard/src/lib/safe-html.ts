/** Elements that make the browser connect, even in a frame without scripts. */
const CONNECTING_ELEMENTS =
  'template, iframe, frame, frameset, object, embed, portal, fencedframe, base, link, meta[http-equiv], script'

/**
 * Removes elements for which a browser connects before it checks the frame's policy.
 * @param images the `data:` URLs of images that are loaded, by their URL
 */
export function safeHtml(html: string, images: ReadonlyMap<string, string> = new Map()): string {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const each of page.querySelectorAll(CONNECTING_ELEMENTS)) each.remove()
  for (const image of page.querySelectorAll('img')) {
    const loaded = images.get(image.getAttribute('src') ?? '')
    if (loaded !== undefined) image.setAttribute('src', loaded)
  }
  return page.documentElement.outerHTML
}

/**
 * Resolves `prefers-color-scheme` queries to the given scheme. A sandboxed frame does not inherit it from the page.
 */
export const forColorScheme = (html: string, screen: 'light' | 'dark'): string =>
  html.replace(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_asked, asks: string) =>
    asks.toLowerCase() === screen ? '(min-width: 0)' : '(max-width: 0)',
  )
