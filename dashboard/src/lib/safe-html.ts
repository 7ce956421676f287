/** What would have the browser go somewhere, though the frame lets nothing of it run. */
const CONNECTING_ELEMENTS =
  'template, iframe, frame, frameset, object, embed, portal, fencedframe, base, link, meta[http-equiv], script'

/** An email to be shown in a sandboxed frame: without what a browser connects for before it asks whether it may. */
export function safeHtml(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const each of page.querySelectorAll(CONNECTING_ELEMENTS)) each.remove()
  return page.documentElement.outerHTML
}

/**
 * As it looks on a light screen or on a dark one, whatever this one is: what asks for that is given its answer. A frame that may do
 * nothing is not told what is around it.
 */
export const forColorScheme = (html: string, screen: 'light' | 'dark'): string =>
  html.replace(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_asked, asks: string) =>
    asks.toLowerCase() === screen ? '(min-width: 0)' : '(max-width: 0)',
  )
