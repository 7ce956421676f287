import '@xyflow/react/dist/base.css'
import {
  Background,
  type Edge,
  type EdgeProps,
  Handle,
  Position,
  EdgeLabelRenderer,
  type Node,
  type NodeProps,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useViewport,
} from '@xyflow/react'
import { ActionIcon, Menu, VisuallyHidden } from '@mantine/core'
import {
  IconAlertTriangle,
  IconHourglass,
  IconLogout,
  IconMail,
  IconMaximize,
  IconMinus,
  IconPlus,
} from '@tabler/icons-react'
import { createContext, memo, use, useEffect, useMemo } from 'react'
import { StackedBar, breakdownOf, totalOf } from '../../components/MessageBreakdown.tsx'
import { MESSAGE_STATUS } from '../../components/StatusBadge.tsx'
import { count, duration } from '../../lib/format.ts'
import classes from './Canvas.module.css'
import type { StepStats } from './step-stats.ts'
import { problemOf, type AutomationDraft, type Step } from './draft.ts'
import type { Schemas } from '../../api/client.ts'
import { TRIGGERS } from '../automations/triggers.ts'

/** The ID of the selected step, or `trigger` or `end`. */
export type Selected = string

const WIDTH = 288
const GAP = 36
const HEIGHT = { trigger: 40, EMAIL: 52, WAIT: 36, end: 36 }

type Shared = Record<string, unknown>

/** The selection is not part of the node data, so that selecting does not lay out all (up to 500) nodes again. */
const SelectedContext = createContext<Selected>('trigger')
type TriggerNode = Node<Shared & { label: string; sequence: AutomationDraft; enrolled: number | undefined }, 'trigger'>
type StepNode = Node<Shared & { step: Step; problem: string | undefined; numbers: StepStats | undefined }, 'step'>
type EndNode = Node<Shared & { completed: number | undefined }, 'end'>
type PlusEdge = Edge<
  {
    at: number
    onAdd: ((type: Step['type'], at: number) => void) | undefined
    through: number | undefined
    share: number
    y: number
  },
  'plus'
>

export interface CanvasProps {
  sequence: AutomationDraft
  /** Label of the trigger. */
  starts: string
  selected: Selected
  onSelect: (selected: Selected) => void
  /** Present if the draft can be edited. */
  onAdd?: ((type: Step['type'], at: number) => void) | undefined
  onMove?: ((id: string, to: number) => void) | undefined
  /** Present in the stats view. */
  numbers?: CanvasStats | undefined
}

export interface CanvasStats extends Pick<
  Schemas['AutomationStats'],
  'enrolled' | 'completed' | 'active' | 'stopped' | 'cancelled' | 'erased'
> {
  of: (stepId: string) => StepStats | undefined
}

/** Draws the automation from trigger to end. */
export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <SelectedContext value={props.selected}>
        <Flow {...props} />
      </SelectedContext>
    </ReactFlowProvider>
  )
}

function Flow({ sequence, starts, selected, onSelect, onAdd, onMove, numbers }: CanvasProps) {
  const { nodes, edges, places } = useMemo(
    () => layOut({ sequence, starts, onAdd, numbers }),
    [sequence, starts, onAdd, numbers],
  )
  const flow = useReactFlow()
  useEffect(() => {
    const node = flow.getNode(selected)
    if (!node) return
    // Scroll the selected step into view.
    const { x, y, zoom } = flow.getViewport()
    const at = node.position.y * zoom + y
    const height = document.querySelector('.react-flow')?.clientHeight ?? 0
    if (at < 40 || at > height - 100)
      void flow.setViewport(
        { x, y: height / 2 - node.position.y * zoom, zoom },
        { duration: 120, interpolate: 'linear' },
      )
  }, [selected, flow])
  return (
    <ReactFlow
      className={classes.flow}
      nodes={nodes}
      edges={edges}
      nodeTypes={NODES}
      edgeTypes={EDGES}
      onNodeClick={(_, { id }) => onSelect(id)}
      onNodeDragStop={(_, { id, position }) =>
        onMove?.(
          id,
          places.findLastIndex((y) => position.y + 20 > y),
        )
      }
      nodesDraggable={onMove !== undefined}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      onlyRenderVisibleElements
      defaultViewport={{ x: 60, y: 24, zoom: 1 }}
      minZoom={0.2}
      maxZoom={1.5}
      panOnScroll
      deleteKeyCode={null}
      proOptions={{ hideAttribution: true }}
      onInit={({ setViewport }) => {
        const width = document.querySelector('.react-flow')?.clientWidth ?? 800
        void setViewport({ x: width / 2 - WIDTH / 2, y: 24, zoom: 1 })
      }}
    >
      <VisuallyHidden role="status">{selectionLabel(sequence, selected)}</VisuallyHidden>
      <Background gap={20} size={1.2} color="var(--line-2)" />
      <ZoomControls />
      {numbers ? <AllEnrollments numbers={numbers} /> : onAdd && <ShortcutsHint />}
    </ReactFlow>
  )
}

function layOut({ sequence, starts, onAdd, numbers }: Pick<CanvasProps, 'sequence' | 'starts' | 'onAdd' | 'numbers'>) {
  const nodes: (TriggerNode | StepNode | EndNode)[] = []
  const edges: PlusEdge[] = []
  const places: number[] = []
  let y = 0
  const put = (id: string, height: number, width = WIDTH) => {
    const at = { id, position: { x: (WIDTH - width) / 2, y }, width, height, data: {} }
    y += height + GAP
    return at
  }
  const most = Math.max(numbers?.enrolled ?? 0, 1)
  const join = (at: number, source: string, target: string, through: number | undefined) =>
    edges.push({
      id: `${source} ${target}`,
      type: 'plus',
      source,
      target,
      data: { at, onAdd, through, share: through === undefined ? 0 : through / most, y: y - GAP / 2 - 0 },
      // Decorative: the steps have labels.
      domAttributes: { 'aria-hidden': true },
    })
  nodes.push({
    ...put('trigger', HEIGHT.trigger),
    type: 'trigger',
    draggable: false,
    data: { label: starts, sequence, enrolled: numbers?.enrolled },
  })
  let before = 'trigger'
  let through = numbers?.enrolled
  sequence.steps.forEach((step, at) => {
    join(at, before, step.id, through)
    places.push(y)
    const of = numbers?.of(step.id)
    nodes.push({
      ...put(step.id, HEIGHT[step.type], step.type === 'WAIT' ? 200 : WIDTH),
      type: 'step',
      ariaRole: 'group',
      ariaLabel: stepLabel(step, at),
      data: { step, problem: problemOf(step), numbers: of },
    })
    if (numbers)
      through = step.type === 'EMAIL' ? (of?.passed ?? 0) : arrivedAfter(sequence.steps.slice(at + 1), numbers)
    before = step.id
  })
  join(sequence.steps.length, before, 'end', through)
  nodes.push({
    ...put('end', HEIGHT.end, 200),
    type: 'end',
    draggable: false,
    data: { completed: numbers?.completed },
  })
  return { nodes, edges, places }
}

/** Label of a step for screen readers. @param at zero-based position */
const stepLabel = (step: Step, at: number): string =>
  `Step ${at + 1}: ${step.type === 'WAIT' ? `wait ${duration(step.delayMinutes)}` : `email ${step.subject || 'without subject'}`}`

function selectionLabel({ steps }: AutomationDraft, selected: Selected): string {
  const at = steps.findIndex(({ id }) => id === selected)
  return at >= 0 ? stepLabel(steps[at]!, at) : selected === 'end' ? 'End' : 'Trigger'
}

/** Counts the contacts that passed a wait, by the next email or the end. */
function arrivedAfter(steps: readonly Step[], { of, completed }: NonNullable<CanvasProps['numbers']>): number {
  const email = steps.find(({ type }) => type === 'EMAIL')
  if (!email) return completed
  const numbers = of(email.id)
  return numbers ? totalOf(numbers.messages) + Math.max(0, numbers.here - numbers.messages.deferred) : 0
}

const TriggerCard = memo(({ data: { label, sequence, enrolled } }: NodeProps<TriggerNode>) => {
  const isSelected = use(SelectedContext) === 'trigger'
  const { icon: Icon } = TRIGGERS[sequence.trigger]
  return (
    <div className={`${classes.pill} ${classes.trigger}`} data-selected={isSelected || undefined}>
      <span className={classes.round}>
        <Icon aria-hidden />
      </span>
      <span className="strong cut">{label}</span>
      {enrolled !== undefined && <span className="t2">{count(enrolled)} enrolled</span>}
      <Handles />
    </div>
  )
})

const StepCard = memo(({ id, data: { step, problem, numbers } }: NodeProps<StepNode>) => {
  const isSelected = use(SelectedContext) === id
  return (
    <div
      className={step.type === 'EMAIL' ? classes.card : classes.pill}
      data-selected={isSelected || undefined}
      data-problem={(problem !== undefined && !numbers) || undefined}
      data-testid="step"
    >
      {step.type === 'EMAIL' ? (
        <>
          <span className={`${classes.mark} c-accent`}>
            <IconMail aria-hidden />
          </span>
          <span className={classes.labels}>
            <span className="strong cut">{step.subject || <span className="t3">No subject</span>}</span>
            <span className="small t2 cut">
              {numbers ? <StatsLine numbers={numbers} /> : (problem ?? ((step.text ?? '') || 'HTML'))}
            </span>
          </span>
        </>
      ) : (
        <>
          <IconHourglass aria-hidden />
          <span className="strong">Wait {duration(step.delayMinutes)}</span>
          {numbers && numbers.here > 0 && <span className={classes.here}>{count(numbers.here)} here</span>}
        </>
      )}
      {problem !== undefined && !numbers && <IconAlertTriangle className={classes.problem} aria-label={problem} />}
      <Handles />
    </div>
  )
})

export const StatsLine = ({ numbers: { messages, here } }: { numbers: StepStats }) => (
  <span className={classes.numbers}>
    {breakdownOf(messages, messages.captured > 0 && messages.sent === 0)
      .filter(({ value }, n) => value > 0 || n === 0)
      .map(({ status, value }) => {
        const { icon: Icon, label, tone } = MESSAGE_STATUS[status]
        return (
          <span key={status} className={`${classes.term} c-${tone}`} title={`${count(value)} ${label.toLowerCase()}`}>
            <Icon size={14} stroke={2} role="img" aria-label={label} />
            {count(value)}
          </span>
        )
      })}
    {here > 0 && <span className={classes.here}>{count(here)} here</span>}
  </span>
)

const EndCard = memo(({ data: { completed } }: NodeProps<EndNode>) => {
  const isSelected = use(SelectedContext) === 'end'
  return (
    <div className={`${classes.pill} ${classes.end}`} data-selected={isSelected || undefined}>
      <IconLogout aria-hidden />
      <span className="strong">End</span>
      {completed !== undefined && <span>{count(completed)} completed</span>}
      <Handles />
    </div>
  )
})

/** Anchors of the lines. Users can't connect them. */
const Handles = () => (
  <>
    <Handle type="target" position={Position.Top} isConnectable={false} className={classes.handle} />
    <Handle type="source" position={Position.Bottom} isConnectable={false} className={classes.handle} />
  </>
)

const NODES = { trigger: TriggerCard, step: StepCard, end: EndCard }

function PlusLine({ sourceX, sourceY, targetX, targetY, data }: EdgeProps<PlusEdge>) {
  const { at = 0, onAdd, through, share = 0 } = data ?? {}
  const x = (sourceX + targetX) / 2
  const y = (sourceY + targetY) / 2
  return (
    <>
      <path
        d={`M${x} ${sourceY}V${targetY}`}
        stroke={through === undefined ? 'var(--line-2)' : 'color-mix(in srgb, var(--accent-solid) 30%, var(--surface))'}
        strokeWidth={through === undefined ? 1.5 : Math.max(1.5, 24 * share)}
        fill="none"
      />
      <EdgeLabelRenderer>
        <div className={classes.onLine} style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}>
          {onAdd && <AddMenu at={at} onAdd={onAdd} label={`Add step ${positionLabel(at)}`} />}
          {through !== undefined && <span className="small strong">{count(through)}</span>}
        </div>
      </EdgeLabelRenderer>
    </>
  )
}

const positionLabel = (at: number) => (at === 0 ? 'at the start' : `after step ${at}`)

const EDGES = { plus: PlusLine }

export function AddMenu({
  at,
  onAdd,
  label = 'Add step',
}: {
  at: number
  onAdd: (type: Step['type'], at: number) => void
  label?: string
}) {
  return (
    <Menu position="right">
      <Menu.Target>
        <button type="button" className={`nodrag nopan ${classes.plus}`} aria-label={label}>
          <IconPlus size={12} stroke={2.25} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconMail aria-hidden />} onClick={() => onAdd('EMAIL', at)}>
          Email
        </Menu.Item>
        <Menu.Item leftSection={<IconHourglass aria-hidden />} onClick={() => onAdd('WAIT', at)}>
          Wait
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function AllEnrollments({ numbers }: { numbers: CanvasStats }) {
  const { enrolled, completed, active, stopped, cancelled, erased } = numbers
  const terms = [
    { label: 'Completed', meaning: 'ok', value: completed },
    { label: 'Active', meaning: 'accent', value: active },
    { label: 'Stopped', meaning: 'bad', value: stopped },
    { label: 'Cancelled', meaning: 'mute', value: cancelled },
    ...(erased > 0 ? [{ label: 'Erased', meaning: 'mute', value: erased } as const] : []),
  ] as const
  return (
    <Panel position="top-left" className={classes.all}>
      <h2>All enrollments</h2>
      <dl>
        <div>
          <dt>Enrolled</dt>
          <dd className="strong">{count(enrolled)}</dd>
        </div>
        {terms.map(({ label, meaning, value }) => (
          <div key={label}>
            <dt className={`${classes.square} c-${meaning}`}>{label}</dt>
            <dd className={value === 0 ? 't3' : 'strong'}>{count(value)}</dd>
          </div>
        ))}
      </dl>
      <StackedBar small terms={terms.map(({ meaning, value }) => ({ meaning, value }))} />
    </Panel>
  )
}

const ShortcutsHint = () => (
  <Panel position="bottom-right" className={`wide small t2 ${classes.hint}`}>
    <kbd>A</kbd> add email <kbd>D</kbd> duplicate <kbd>Del</kbd> delete <kbd>?</kbd> all shortcuts
  </Panel>
)

function ZoomControls() {
  const { zoomIn, zoomOut, fitView } = useReactFlow()
  const { zoom } = useViewport()
  return (
    <Panel position="bottom-left" className={classes.zoom}>
      <ActionIcon aria-label="Zoom out" onClick={() => void zoomOut()}>
        <IconMinus />
      </ActionIcon>
      <span className="small">{Math.round(zoom * 100)} %</span>
      <ActionIcon aria-label="Zoom in" onClick={() => void zoomIn()}>
        <IconPlus />
      </ActionIcon>
      <ActionIcon aria-label="Fit to screen" onClick={() => void fitView({ padding: 0.1, maxZoom: 1 })}>
        <IconMaximize />
      </ActionIcon>
    </Panel>
  )
}
