import '@xyflow/react/dist/base.css'
import {
  Background,
  type Node,
  type OnNodeDrag,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Viewport,
} from '@xyflow/react'
import { VisuallyHidden } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import type { Names } from '../../components/conditions/describe-condition.ts'
import classes from './Canvas.module.css'
import { DropContext, type Selected, SelectedContext } from './canvas-context.ts'
import { BranchCard, EndCard, JoinPoint, StepCard, TriggerCard } from './CanvasNodes.tsx'
import { CanvasLine, type LineEdge } from './CanvasLine.tsx'
import { MIN_ZOOM, ShortcutsHint, ZoomControls } from './CanvasPanels.tsx'
import type { AutomationDraft } from './draft.ts'
import { EnrollmentsPanel } from './EnrollmentsPanel.tsx'
import { CARD_WIDTH, type LaidOutNode, type Layout, layOut, shapeOf } from './layout.ts'
import { labelOf } from './selection-label.ts'
import { contactsThrough, type StepStats } from './step-stats.ts'
import type { Step } from './steps.ts'
import { isInside, listAt, type Place, placeKey, type TreeIndex } from './step-tree.ts'

export interface CanvasProps {
  sequence: AutomationDraft
  tree: TreeIndex
  names: Names
  /** Label of the trigger. */
  starts: string
  selected: Selected
  onSelect: (selected: Selected) => void
  /** Opens the menu of steps to add. Present if the draft can be edited. */
  onAdd?: ((place: Place, anchor: DOMRect) => void) | undefined
  /** Opens the menu of actions on a step or branch. */
  onActions?: ((id: Selected, anchor: DOMRect) => void) | undefined
  onMove?: ((id: string, to: Place) => void) | undefined
  /** Edits a step: its email on the canvas, or its first field. */
  onEdit?: ((id: Selected) => void) | undefined
  /** Present in the stats view. */
  numbers?: CanvasStats | undefined
}

export type CanvasStats = Schemas['AutomationStats'] & {
  of: (stepId: string) => StepStats | undefined
}

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

/** Draws the automation from trigger to end, with branches side by side. */
export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <SelectedContext value={props.selected}>
        <Flow {...props} />
      </SelectedContext>
    </ReactFlowProvider>
  )
}

/** Smaller steps cannot be read. */
const MIN_FIT = 0.5
const FIT_MARGIN = 24

const NODES = { trigger: TriggerCard, step: StepCard, branch: BranchCard, join: JoinPoint, end: EndCard }
const EDGES = { line: CanvasLine }

function Flow({
  sequence,
  tree,
  names,
  starts,
  selected,
  onSelect,
  onAdd,
  onActions,
  onMove,
  onEdit,
  numbers,
}: CanvasProps) {
  const { steps } = sequence
  // Edits of fields move nothing.
  const shape = shapeOf(steps)
  const [drawing, setDrawing] = useState(() => ({ shape, layout: layOut(steps) }))
  const layout = drawing.shape === shape ? drawing.layout : layOut(steps)
  if (drawing.shape !== shape) setDrawing({ shape, layout })
  const context = useMemo(() => ({ names, numbers }), [names, numbers])
  const nodes = useMemo(
    () =>
      layout.nodes.map((laidOut) => {
        const label = labelOf(laidOut.id, sequence, tree, context.names)
        if ('step' in laidOut) {
          const step = tree.find(laidOut.step.id)?.step ?? laidOut.step
          return stepNode({ ...laidOut, step }, label, context)
        }
        return nodeOf(laidOut, label, context, { sequence, starts })
      }),
    [layout, sequence, tree, starts, context],
  )
  // While editing, the lines depend on the layout alone.
  const counted = useMemo(() => numbers && { numbers, sequence, tree }, [numbers, numbers && sequence, numbers && tree])
  const edges = useMemo(
    () => layout.lines.map((line) => edgeOf(line, onAdd, counted && throughOf(line.place, counted))),
    [layout, onAdd, counted],
  )
  const [drop, setDrop] = useState<Place>()
  const flow = useReactFlow()
  useScrollTo(selected)
  const moved = useFitOnResize(layout.nodes)
  const placeAt: OnNodeDrag = (event, { id }) => {
    const { clientX, clientY } = 'touches' in event ? event.touches[0]! : event
    setDrop(nearestPlace(layout, tree, id, flow.screenToFlowPosition({ x: clientX, y: clientY })))
  }
  return (
    <DropContext value={drop && placeKey(drop)}>
      <ReactFlow
        className={classes.flow}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        onNodeClick={(_, { id, type }) => type !== 'join' && onSelect(id)}
        zoomOnDoubleClick={false}
        {...(onEdit && { onNodeDoubleClick: (_, { id }) => onEdit(id) })}
        onNodeContextMenu={(event, { id, type }) => {
          if (!onActions || (type !== 'step' && type !== 'branch')) return
          event.preventDefault()
          onActions(id, new DOMRect(event.clientX, event.clientY, 0, 0))
        }}
        onNodeDrag={placeAt}
        onNodeDragStop={(_, { id }) => {
          if (drop) onMove?.(id, drop)
          setDrop(undefined)
        }}
        nodesDraggable={onMove !== undefined}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        onlyRenderVisibleElements
        defaultViewport={{ x: 60 + CARD_WIDTH / 2, y: 24, zoom: 1 }}
        minZoom={MIN_ZOOM}
        maxZoom={1.5}
        panOnScroll
        deleteKeyCode={null}
        proOptions={{ hideAttribution: true }}
        onInit={({ setViewport }) => void setViewport(fittingViewport(layout.nodes))}
        onMoveStart={(event) => event && moved()}
      >
        <VisuallyHidden role="status">{labelOf(selected, sequence, tree, names)}</VisuallyHidden>
        <Background gap={20} size={1.2} color="var(--line-2)" />
        <ZoomControls />
        {numbers ? <EnrollmentsPanel numbers={numbers} /> : onAdd && <ShortcutsHint />}
      </ReactFlow>
    </DropContext>
  )
}

function canvasSize() {
  const { clientWidth: width = 800, clientHeight: height = 600 } = document.querySelector('.react-flow') ?? {}
  return { width, height }
}

/** Shows all branches next to each other if they are legible, and the top otherwise. */
function fittingViewport(nodes: readonly LaidOutNode[]): Viewport {
  const { width } = canvasSize()
  const left = Math.min(...nodes.map(({ x }) => x))
  const right = Math.max(...nodes.map(({ x, width: own }) => x + own))
  const zoom = Math.min(1, Math.max(MIN_FIT, (width - 2 * FIT_MARGIN) / (right - left)))
  return { x: width / 2 - ((left + right) / 2) * zoom, y: 24, zoom }
}

/** Fits the branches again when the window changes its size. @returns a function to call when a member moves the canvas: it stays from then on */
function useFitOnResize(nodes: readonly LaidOutNode[]): () => void {
  const flow = useReactFlow()
  const isMoved = useRef(false)
  const latest = useRef(nodes)
  useEffect(() => void (latest.current = nodes))
  useWindowEvent('resize', () => {
    if (!isMoved.current) void flow.setViewport(fittingViewport(latest.current))
  })
  return () => {
    isMoved.current = true
  }
}

/** Scrolls the selected node into view. */
function useScrollTo(selected: Selected): void {
  const flow = useReactFlow()
  useEffect(() => {
    const node = flow.getNode(selected)
    if (!node) return
    const { x, y, zoom } = flow.getViewport()
    const { width, height } = canvasSize()
    const left = node.position.x * zoom + x
    const right = left + (node.width ?? 0) * zoom
    const top = node.position.y * zoom + y
    const isWide = left >= 8 && right <= width - 8
    const isHigh = top >= 40 && top <= height - 100
    if (isWide && isHigh) return
    const next = {
      x: isWide ? x : width / 2 - (node.position.x + (node.width ?? 0) / 2) * zoom,
      y: isHigh ? y : height / 2 - node.position.y * zoom,
      zoom,
    }
    void flow.setViewport(next, { duration: 120, interpolate: 'linear' })
  }, [selected, flow])
}

function nodeOf(
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
function stepNode(laidOut: LaidOutNode & { step: Step }, label: string, context: StepContext): CanvasNode {
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

const edgeOf = (
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

interface Counted {
  numbers: CanvasStats
  sequence: AutomationDraft
  tree: TreeIndex
}

function throughOf(place: Place | undefined, { numbers, sequence, tree }: Counted) {
  const through = place && contactsThrough(place, listAt(sequence.steps, tree, place), numbers, numbers.of)
  return through === undefined ? undefined : { through, share: through / Math.max(numbers.enrolled, 1) }
}

/** The farthest that a step can be dropped from a place, in pixels. */
const MAX_DISTANCE = 140

/** Finds the place nearest to the pointer where a dragged step can go. */
function nearestPlace(
  { places }: Layout,
  tree: TreeIndex,
  stepId: string,
  pointer: { x: number; y: number },
): Place | undefined {
  const [nearest] = places
    .filter(({ place }) => !isInside(tree, place, stepId))
    .map(({ place, x, y }) => ({ place, distance: Math.hypot(x - pointer.x, y - pointer.y) }))
    .sort((one, other) => one.distance - other.distance)
  return nearest && nearest.distance < MAX_DISTANCE ? nearest.place : undefined
}
