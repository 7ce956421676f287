import { type Edge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react'
import { IconPlus } from '@tabler/icons-react'
import { memo, use } from 'react'
import { count } from '../../lib/format.ts'
import type { CanvasProps } from './canvas-props.ts'
import classes from './Canvas.module.css'
import { DropContext } from './canvas-context.ts'
import { type LaidOutLine, pathOf, PLUS_OFFSET } from './layout.ts'
import { type Place, placeKey } from './step-tree.ts'

export type LineEdge = Edge<
  {
    line: LaidOutLine
    onAdd: CanvasProps['onAdd']
    /** How many contacts passed, and their share of all; present in the stats view. */
    contacts: { through: number; share: number } | undefined
  },
  'line'
>

/** A line between two steps, with a button that adds a step on it. */
export const CanvasLine = memo(({ data }: EdgeProps<LineEdge>) => {
  if (!data) return null
  const { line, onAdd, contacts } = data
  const { from, to, place, addLabel, hasArrow } = line
  return (
    <>
      <path
        d={pathOf(line)}
        stroke={contacts ? 'color-mix(in srgb, var(--accent-solid) 30%, var(--surface))' : 'var(--line-2)'}
        strokeWidth={contacts ? Math.max(1.5, 24 * contacts.share) : 1.5}
        fill="none"
      />
      {hasArrow && !contacts && (
        <path d={`M${to.x - 4} ${to.y - 5}l4 4l4-4`} stroke="var(--line-2)" strokeWidth={1.5} fill="none" />
      )}
      {place && (onAdd || contacts) && (
        <EdgeLabelRenderer>
          <div
            className={classes.onLine}
            style={{ transform: `translate(-50%, -50%) translate(${from.x}px, ${from.y + PLUS_OFFSET}px)` }}
          >
            {onAdd && <PlusButton place={place} label={addLabel} onAdd={onAdd} />}
            {contacts && <span className="small strong">{count(contacts.through)}</span>}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  )
})

function PlusButton({
  place,
  label,
  onAdd,
}: {
  place: Place
  label: string | undefined
  onAdd: NonNullable<CanvasProps['onAdd']>
}) {
  const isDrop = use(DropContext) === placeKey(place)
  return (
    <button
      type="button"
      className={`nodrag nopan ${classes.plus}`}
      data-drop={isDrop || undefined}
      aria-haspopup="menu"
      aria-label={label}
      onClick={({ currentTarget }) => onAdd(place, currentTarget.getBoundingClientRect())}
    >
      <IconPlus size={12} stroke={2.25} aria-hidden />
    </button>
  )
}
