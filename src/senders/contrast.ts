/** The least contrast of text (WCAG 2.2, success criterion 1.4.3). */
export const MIN_CONTRAST = 4.5

/** The ground of the pages for recipients, which is a little darker than white. `src/consent/page.ts` has the same. */
const PAGE = '#f4f3f0'

/** Returns the contrast of a color with the pages for recipients (WCAG 2.2, "contrast ratio"). @param color such as `#2f6b45` */
export const contrastWithPage = (color: string): number => (luminance(PAGE) + 0.05) / (luminance(color) + 0.05)

/** The relative luminance of a color, as WCAG 2.2 defines it. */
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
