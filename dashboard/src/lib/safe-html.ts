/** Elements that make the browser connect, even in a frame without scripts. */
const CONNECTING_ELEMENTS =
  'template, iframe, frame, frameset, object, embed, portal, fencedframe, base, link, meta[http-equiv], script'

/** Removes elements for which a browser connects before it checks the frame's policy. */
export function safeHtml(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const each of page.querySelectorAll(CONNECTING_ELEMENTS)) each.remove()
  return page.documentElement.outerHTML
}

/**
 * Resolves `prefers-color-scheme` queries to the given scheme. A sandboxed frame does not inherit it from the page.
 */
export const forColorScheme = (html: string, screen: 'light' | 'dark'): string =>
  html.replace(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_asked, asks: string) =>
    asks.toLowerCase() === screen ? '(min-width: 0)' : '(max-width: 0)',
  )
