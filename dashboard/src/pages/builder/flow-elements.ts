import { type Node, Position } from '@xyflow/react'
import type { LineEdge } from './CanvasLine.tsx'
import type { CanvasProps, CanvasStats } from './canvas-props.ts'
import type { AutomationDraft } from './draft.ts'
import type { LaidOutNode, Layout } from './layout.ts'
import { contactsThrough } from './step-stats.ts'
import { listAt, type Place, type TreeIndex } from './step-tree.ts'
import type { Step } from './steps.ts'

/** The data that nodes of steps and branches need in addition to their step. */
type StepContext = Pick<CanvasProps, 'names' | 'numbers'>

/** The content of a node. */
type NodeData = Record<string, unknown> &
  StepContext & {
    laidOut: LaidOutNode
    /** For the trigger and the end. */
    automation: Pick<CanvasProps, 'sequence' | 'starts'> | undefined
  }
export type CanvasNode = Node<NodeData, LaidOutNode['kind']>

/** Returns the node of the trigger, the end, or a point where branches join. */
export function nodeOf(
  laidOut: LaidOutNode,
  label: string,
  context: StepContext,
  automation?: NodeData['automation'],
): CanvasNode {
  const { id, kind, x, y, width, height } = laidOut
  const handle = { x: width / 2, width: 1, height: 1 }
  return {
    id,
    type: kind,
    position: { x, y },
    width,
    height,
    draggable: kind === 'step',
    // Lines also lead to nodes that are not drawn.
    handles: [
      { type: 'target', position: Position.Top, y: 0, ...handle },
      { type: 'source', position: Position.Bottom, y: height, ...handle },
    ],
    ...(kind === 'join'
      ? { selectable: false, domAttributes: { 'aria-hidden': true } }
      : { ariaRole: 'group' as const, ariaLabel: label }),
    data: { laidOut, automation, ...context },
  }
}

const drawn = new WeakMap<Step, Map<string, { key: string; context: StepContext; node: CanvasNode }>>()

/** The node of a step or branch. It stays the same while nothing about it changes, so that typing redraws one of many steps. */
export function stepNode(laidOut: LaidOutNode & { step: Step }, label: string, context: StepContext): CanvasNode {
  const { id, x, y, step } = laidOut
  const key = `${x} ${y} ${label}`
  const ofStep = drawn.get(step) ?? new Map<string, { key: string; context: StepContext; node: CanvasNode }>()
  drawn.set(step, ofStep)
  const known = ofStep.get(id)
  if (known?.key === key && known.context === context) return known.node
  const node = nodeOf(laidOut, label, context)
  ofStep.set(id, { key, context, node })
  return node
}

/** Returns the line between two nodes. */
export const edgeOf = (
  line: Layout['lines'][number],
  onAdd: CanvasProps['onAdd'],
  contacts: { through: number; share: number } | undefined,
): LineEdge => ({
  id: line.id,
  type: 'line',
  source: line.source,
  target: line.target,
  data: { line, onAdd, contacts },
  // Decorative: the steps have labels.
  domAttributes: { 'aria-hidden': true },
})

/** The stats of a sequence, to count the contacts on its lines. */
interface Counted {
  numbers: CanvasStats
  sequence: AutomationDraft
  tree: TreeIndex
}

/** Returns how many contacts went along the line at a place. */
export function throughOf(place: Place | undefined, { numbers, sequence, tree }: Counted) {
  const through = place && contactsThrough(place, listAt(sequence.steps, tree, place), numbers, numbers.of)
  return through === undefined ? undefined : { through, share: through / Math.max(numbers.enrolled, 1) }
}
