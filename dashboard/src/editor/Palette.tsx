import {
  IconAdjustments,
  IconAlertCircle,
  IconAlignLeft,
  IconCode,
  IconColumns2,
  IconLineDashed,
  IconPhoto,
  IconRectangle,
  IconSpacingVertical,
  type TablerIcon,
} from '@tabler/icons-react'
import { BLOCK_LABELS, BLOCK_TYPES, type BlockType, textOf } from './blocks.ts'
import { type EditorNode, inOrder, isColumns, typeOf } from './nodes.ts'
import type { EditorProblem } from './problems.ts'
import type { BlockEditor } from './use-block-editor.ts'
import { dragNew } from './use-drop.ts'
import { shortName, splitVariables } from './variables.ts'
import classes from './editor.module.css'

export const BLOCK_ICONS: Record<BlockType, TablerIcon> = {
  TEXT: IconAlignLeft,
  IMAGE: IconPhoto,
  BUTTON: IconRectangle,
  COLUMNS: IconColumns2,
  DIVIDER: IconLineDashed,
  SPACER: IconSpacingVertical,
  CODE: IconCode,
}

/** The blocks to add, by a click or by dragging. */
export const Palette = ({ editor }: { editor: BlockEditor }) => (
  <section aria-label="Blocks">
    <div className="row" style={{ marginBottom: 8 }}>
      <h2>Blocks</h2>
      <span className="push small t3">
        drag or press <kbd>/</kbd>
      </span>
    </div>
    <div className={classes.palette}>
      {BLOCK_TYPES.map((type) => {
        const Icon = BLOCK_ICONS[type]
        return (
          <button
            key={type}
            type="button"
            draggable
            onDragStart={(event) => dragNew(event, type)}
            onClick={() => editor.add(type)}
          >
            <Icon aria-hidden />
            {BLOCK_LABELS[type]}
          </button>
        )
      })}
    </div>
  </section>
)

/** The blocks of the email as a list, with those that have a problem. */
export const EditorOutline = ({
  editor,
  problems,
  onSettings,
}: {
  editor: BlockEditor
  problems: readonly EditorProblem[]
  /** Focuses the settings of the email, which are shown. */
  onSettings: () => void
}) => (
  <section aria-label="Outline">
    <h2 style={{ marginBottom: 8 }}>Outline</h2>
    <ul>
      <li>
        <button
          type="button"
          className={classes.outlineRow}
          style={{ paddingLeft: 8 }}
          aria-current={!editor.selected}
          onClick={() => {
            editor.select(undefined)
            requestAnimationFrame(onSettings)
          }}
        >
          <IconAdjustments aria-hidden />
          Email settings
        </button>
      </li>
      {inOrder(editor.nodes).map(({ node, list }) => {
        const Icon = BLOCK_ICONS[typeOf(node)]
        const problem = problems.find(({ key }) => key === node.key)
        return (
          <li key={node.key}>
            <button
              type="button"
              className={classes.outlineRow}
              style={{ paddingLeft: list.columns ? 24 : 8 }}
              aria-current={editor.selected?.node.key === node.key}
              onClick={() => editor.select(node.key)}
            >
              <Icon aria-hidden />
              {BLOCK_LABELS[typeOf(node)]}
              <span className="cut t3">{summaryOf(node)}</span>
              {problem && (
                <IconAlertCircle
                  className="push"
                  aria-label={problem.title}
                  color={problem.isError ? 'var(--bad)' : 'var(--warn)'}
                />
              )}
            </button>
          </li>
        )
      })}
    </ul>
  </section>
)

const summaryOf = (node: EditorNode): string =>
  isColumns(node)
    ? `${node.columns.length} columns`
    : splitVariables(textOf(node.block))
        .map((part) => ('source' in part ? shortName(part.path) : part.text))
        .join('')
        .slice(0, 60)
