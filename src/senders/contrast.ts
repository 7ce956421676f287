/** The least contrast of text (WCAG 2.2, success criterion 1.4.3). */
export const MIN_CONTRAST = 4.5

/** Returns the contrast of a color with white (WCAG 2.2, "contrast ratio"): 1 to 21. @param color such as `#2f6b45` */
export function contrastWithWhite(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}
