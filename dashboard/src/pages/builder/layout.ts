import { addLabelOf } from './selection-label.ts'
import {
  branchesOf,
  branchId,
  indexTree,
  type ListRef,
  type Place,
  placeKey,
  ROOT,
  type TreeIndex,
} from './step-tree.ts'
import { STEP_TYPES } from './step-types.ts'
import type { Step } from './steps.ts'

export const CARD_WIDTH = 288
const PILL_WIDTH = 240
const GAP = 36
/** Space between branches. */
const BRANCH_GAP = 24
const TRIGGER_HEIGHT = 40
const CARD_HEIGHT = 52
const PILL_HEIGHT = 36
const END_HEIGHT = 36
const BRANCH_HEIGHT = { plain: 24, sentence: 44 } as const
/** From the longest branch to the line that joins all branches. */
const JOIN_GAP = 28

interface Box {
  id: string
  x: number
  y: number
  width: number
  height: number
}

export type LaidOutNode = Box &
  (
    | { kind: 'trigger' }
    | { kind: 'end' }
    | { kind: 'join' }
    | { kind: 'step'; step: Step }
    | { kind: 'branch'; step: Step; branch: number }
  )

interface Point {
  x: number
  y: number
}

/** A line between two nodes. */
export interface LaidOutLine {
  id: string
  source: string
  target: string
  from: Point
  to: Point
  /** The place where a step can be added on it. */
  place?: Place
  /** The name of the button that adds it. */
  addLabel?: string
  /** Whether an arrow shows the direction. */
  hasArrow: boolean
}

export interface Layout {
  nodes: LaidOutNode[]
  lines: LaidOutLine[]
  /** The middle of the lines on which a step can be added. */
  places: { place: Place; x: number; y: number }[]
}

/** The space that a list of steps needs on both sides of its axis. */
interface Extent {
  left: number
  right: number
}

const widthOf = (step: Step): number => (STEP_TYPES[step.type].isPill ? PILL_WIDTH : CARD_WIDTH)
const heightOf = (step: Step): number => (STEP_TYPES[step.type].isPill ? PILL_HEIGHT : CARD_HEIGHT)
const join = (stepId: string): string => `join ${stepId}`
const END: ListRef = ROOT

/** Identifies what the layout of steps depends on: their order, types and branches. */
export const shapeOf = (steps: readonly Step[]): string =>
  steps
    .map((step) => {
      const inner = branchesOf(step).map((branch) => shapeOf(branch.steps))
      return `${step.id} ${step.type}${inner.length === 0 ? '' : ` [${inner.join('|')}]`}`
    })
    .join()

/** Computes where the steps of a tree are drawn: from top to bottom, branches side by side. */
export function layOut(steps: readonly Step[]): Layout {
  const layout = new TreeLayout(steps)
  return layout.draw()
}

class TreeLayout {
  private readonly nodes: LaidOutNode[] = []
  private readonly lines: LaidOutLine[] = []
  private readonly places: Layout['places'] = []
  private readonly extents = new Map<readonly Step[], Extent>()
  private readonly axes = new Map<string, { x: number; bottom: number; top: number }>()

  private readonly steps: readonly Step[]
  private readonly tree: TreeIndex

  constructor(steps: readonly Step[]) {
    this.steps = steps
    this.tree = indexTree(steps)
  }

  draw(): Layout {
    const { steps } = this
    this.put({ kind: 'trigger', id: 'trigger', width: CARD_WIDTH, height: TRIGGER_HEIGHT, x: 0, y: 0 })
    const { source, y } = this.list(steps, END, 0, 'trigger', TRIGGER_HEIGHT + GAP)
    this.put({ kind: 'end', id: 'end', width: CARD_WIDTH, height: END_HEIGHT, x: 0, y })
    this.connect(source, 'end', { ...END, at: steps.length })
    return { nodes: this.nodes, lines: this.lines, places: this.places }
  }

  /** Adds a node. @param node with `x` at its center */
  private put(node: LaidOutNode): void {
    this.axes.set(node.id, { x: node.x, top: node.y, bottom: node.y + node.height })
    this.nodes.push({ ...node, x: node.x - node.width / 2 })
  }

  private connect(source: string | undefined, target: string, place?: Place): void {
    if (source === undefined) return
    const from = this.axes.get(source)!
    const to = this.axes.get(target)!
    this.lines.push({
      id: place ? placeKey(place) : `${source} ${target}`,
      source,
      target,
      from: { x: from.x, y: from.bottom },
      to: { x: to.x, y: to.top },
      ...(place && { place, addLabel: addLabelOf(place, this.steps, this.tree) }),
      hasArrow: !target.startsWith('join '),
    })
    if (place) this.places.push({ place, x: from.x, y: from.bottom + GAP / 2 })
  }

  /** Adds the steps of a list. @returns the node before its end, which is `undefined` after an exit, and where the next node is */
  private list(steps: readonly Step[], ref: ListRef, x: number, before: string | undefined, top: number) {
    let source = before
    let y = top
    for (const [at, step] of steps.entries()) {
      this.put({ kind: 'step', step, id: step.id, width: widthOf(step), height: heightOf(step), x, y })
      this.connect(source, step.id, { ...ref, at })
      y += heightOf(step) + GAP
      source = step.type === 'EXIT' ? undefined : step.id
      if (branchesOf(step).length === 0) continue
      const below = this.branches(step, x, y)
      source = below.source
      y = below.y
    }
    return { source, y }
  }

  private branches(step: Step, x: number, top: number): { source: string | undefined; y: number } {
    const branches = branchesOf(step)
    const height = step.type === 'CONDITION' ? BRANCH_HEIGHT.sentence : BRANCH_HEIGHT.plain
    const ends: { source: string | undefined; place: Place }[] = []
    let bottom = top
    for (const [branch, offset] of this.offsets(branches.map(({ steps }) => steps)).entries()) {
      const id = branchId(step.id, branch)
      const { steps } = branches[branch]!
      const at = x + offset
      this.put({ kind: 'branch', step, branch, id, width: CARD_WIDTH, height, x: at, y: top })
      this.connect(step.id, id)
      const { source, y } = this.list(steps, { parent: step.id, branch }, at, id, top + height + GAP)
      ends.push({ source, place: { parent: step.id, branch, at: steps.length } })
      bottom = Math.max(bottom, y)
    }
    const isOpen = ends.some(({ source }) => source !== undefined)
    const y = bottom + JOIN_GAP
    this.put({ kind: 'join', id: join(step.id), width: 1, height: 1, x, y })
    for (const { source, place } of ends) this.connect(source, join(step.id), place)
    return { source: isOpen ? join(step.id) : undefined, y: y + GAP }
  }

  /** The axes of lists side by side, with the middle of the first and last axis at 0. */
  private offsets(lists: readonly (readonly Step[])[]): number[] {
    const offsets: number[] = []
    let right = 0
    for (const [n, steps] of lists.entries()) {
      const extent = this.extentOf(steps)
      const axis = n === 0 ? 0 : right + BRANCH_GAP + extent.left
      offsets.push(axis)
      right = axis + extent.right
    }
    const middle = (offsets.at(-1) ?? 0) / 2
    return offsets.map((axis) => axis - middle)
  }

  private extentOf(steps: readonly Step[]): Extent {
    const known = this.extents.get(steps)
    if (known) return known
    const extent = { left: CARD_WIDTH / 2, right: CARD_WIDTH / 2 }
    for (const step of steps) {
      const lists = branchesOf(step).map(({ steps: inner }) => inner)
      if (lists.length === 0) continue
      const offsets = this.offsets(lists)
      extent.left = Math.max(extent.left, this.extentOf(lists[0]!).left - offsets[0]!)
      extent.right = Math.max(extent.right, this.extentOf(lists.at(-1)!).right + offsets.at(-1)!)
    }
    this.extents.set(steps, extent)
    return extent
  }
}

/** The distance of the `+` from the beginning of a line, which is before its bend. */
export const PLUS_OFFSET = GAP / 2

const RADIUS = 10
/** The distance of a bend from the step that branches, and from the place where branches join. */
const FORK_OFFSET = GAP / 2
const JOIN_OFFSET = 12

/** The path of a line. A line between different axes has two rounded bends. */
export function pathOf({ from, to, target }: LaidOutLine): string {
  if (from.x === to.x) return `M${from.x} ${from.y}V${to.y}`
  const y = target.startsWith('join ') ? to.y - JOIN_OFFSET : from.y + FORK_OFFSET
  const side = Math.sign(to.x - from.x)
  const radius = Math.min(RADIUS, Math.abs(to.x - from.x) / 2)
  return (
    `M${from.x} ${from.y}V${y - radius}Q${from.x} ${y} ${from.x + side * radius} ${y}` +
    `H${to.x - side * radius}Q${to.x} ${y} ${to.x} ${y + radius}V${to.y}`
  )
}
