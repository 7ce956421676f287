/** The colors of marks do not depend on the theme, because those of the email do not. */
const LINK_STYLE = 'outline: 2px solid #0b91ca; outline-offset: 2px;'
const MARK_STYLE =
  'display: inline-block; margin: 0 4px 0 2px; padding: 0 6px; border-radius: 10px; vertical-align: middle; white-space: nowrap; ' +
  'background: #026b98; color: #fff; font: 600 14px/20px sans-serif; letter-spacing: 0; text-transform: none;'

/**
 * Marks the links of an email, each with a text after it.
 * @param marks texts by the address of the link
 * @returns the HTML, and what each marked link says
 */
export function markLinks(
  html: string,
  marks: ReadonlyMap<string, string>,
): { html: string; labels: ReadonlyMap<string, string> } {
  const page = new DOMParser().parseFromString(html, 'text/html')
  const labels = new Map<string, string>()
  for (const link of page.querySelectorAll<HTMLElement>('a[href]')) {
    const address = link.getAttribute('href')!.trim()
    const text = marks.get(address)
    if (text === undefined) continue
    const label = link.textContent.trim() || (link.querySelector('img')?.getAttribute('alt') ?? '')
    if (label !== '' && !labels.has(address)) labels.set(address, label)
    link.style.cssText += LINK_STYLE
    const mark = page.createElement('span')
    mark.textContent = text
    mark.style.cssText = MARK_STYLE
    link.after(' ', mark)
  }
  return { html: page.documentElement.outerHTML, labels }
}
