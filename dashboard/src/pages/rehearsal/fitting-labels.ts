/** A text at a place of the line. */
export interface Label {
  x: number
  text: string
  anchor: 'start' | 'middle' | 'end'
}

const CHARACTER_WIDTH = 7
const GAP = 8
const INSET = 12
/** A longer text is cut. */
const MAX_CHARACTERS = 26

/** Estimates the width of a text in pixels. */
export const textWidth = (text: string): number => text.length * CHARACTER_WIDTH

const startOf = ({ x, anchor }: Label, width: number): number =>
  anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2

/**
 * Places labels beside each other. The first ones come first: a label that has no space is left out.
 * @returns `undefined` for each label that is left out
 */
export function fittingLabels(labels: readonly Label[], width: number): (Label | undefined)[] {
  const taken: [start: number, end: number][] = []
  return labels.map((label) => {
    const text = label.text.length > MAX_CHARACTERS ? `${label.text.slice(0, MAX_CHARACTERS - 1)}…` : label.text
    const length = textWidth(text)
    const placed = { ...label, text, ...atEdge(label, length, width) }
    const start = startOf(placed, length)
    const end = start + length
    if (end > width || taken.some(([from, to]) => start < to + GAP && end > from - GAP)) return undefined
    taken.push([start, end])
    return placed
  })
}

/** A label in the middle of its place moves inwards at an edge. */
function atEdge({ x, anchor }: Label, length: number, width: number): Partial<Label> {
  if (anchor !== 'middle') return {}
  if (x - length / 2 < 0) return { x: INSET, anchor: 'start' }
  return x + length / 2 > width ? { x: width - INSET, anchor: 'end' } : {}
}
