import '@xyflow/react/dist/base.css'
import { VisuallyHidden } from '@mantine/core'
import { Background, type OnNodeDrag, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react'
import { useMemo, useState } from 'react'
import classes from './Canvas.module.css'
import { DropContext, SelectedContext } from './canvas-context.ts'
import { BranchCard, EndCard, JoinPoint, StepCard, TriggerCard } from './CanvasNodes.tsx'
import { CanvasLine } from './CanvasLine.tsx'
import { MIN_ZOOM, ShortcutsHint, ZoomControls } from './CanvasPanels.tsx'
import type { CanvasProps } from './canvas-props.ts'
import { fittingViewport, useFitOnResize, useScrollTo } from './canvas-viewport.ts'
import { EnrollmentsPanel } from './EnrollmentsPanel.tsx'
import { edgeOf, nodeOf, stepNode, throughOf } from './flow-elements.ts'
import { CARD_WIDTH, layOut, shapeOf } from './layout.ts'
import { nearestPlace } from './nearest-place.ts'
import { labelOf } from './selection-label.ts'
import { type Place, placeKey } from './step-tree.ts'

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
  const layout = useMemo(() => layOut(steps), [shape])
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
        aria-label="Steps"
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
