import { Button, Popover } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { mergeAttributes, Node, nodeInputRule, nodePasteRule } from '@tiptap/core'
import { NodeSelection } from '@tiptap/pm/state'
import { type NodeViewProps, NodeViewWrapper, ReactNodeViewRenderer } from '@tiptap/react'
import { FallbackField } from './FallbackField.tsx'
import { readVariable, shortName, VARIABLE, writeVariable } from './variables.ts'
import classes from './editor.module.css'

/** A variable in a text, as it looks on the canvas. */
export function VariableLabel({ source }: { source: string }) {
  const { path, fallback } = readVariable(source)
  return (
    <span className={classes.chip} title={source}>
      {shortName(path)}
      {fallback !== null && <span className={classes.fallback}>{fallback}</span>}
    </span>
  )
}

/** A variable in a text that is edited. A click edits its fallback. */
function VariableChip({ node, editor, getPos, updateAttributes, deleteNode }: NodeViewProps) {
  const source = String(node.attrs['source'])
  const { path, fallback } = readVariable(source)
  const [isOpen, { set, toggle, close }] = useDisclosure()
  const leave = () => {
    close()
    // The caret goes after the variable.
    editor.commands.focus((getPos() ?? 0) + 1)
  }
  return (
    <NodeViewWrapper as="span">
      <Popover opened={isOpen} onChange={set} trapFocus withinPortal>
        <Popover.Target>
          <button
            type="button"
            tabIndex={-1}
            className={classes.chipButton}
            aria-label={`Variable ${path}`}
            onClick={() => editor.isEditable && toggle()}
          >
            <VariableLabel source={source} />
          </button>
        </Popover.Target>
        <Popover.Dropdown onKeyDown={(event) => event.stopPropagation()}>
          <p className="mono" style={{ marginBottom: 8 }}>
            {path}
          </p>
          <FallbackField
            value={fallback ?? ''}
            onChange={(value) => updateAttributes({ source: writeVariable({ path, fallback: value }) })}
            onEnter={leave}
          />
          <div className="row" style={{ marginTop: 12 }}>
            <Button onClick={leave}>Done</Button>
            <Button
              variant="subtle"
              color="bad"
              onClick={() => {
                deleteNode()
                editor.commands.focus()
              }}
            >
              Remove
            </Button>
          </div>
        </Popover.Dropdown>
      </Popover>
    </NodeViewWrapper>
  )
}

// Without groups: TipTap replaces only the first group of a match.
const WHOLE = VARIABLE.source.replace(/\((?!\?)/g, '(?:')
const TYPED = new RegExp(`${WHOLE}$`)
const PASTED = new RegExp(WHOLE, 'g')

/** The variables of a text, which are deleted and moved over as a whole. Copying one copies its Liquid. */
export const VariableNode = Node.create({
  name: 'variable',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ source: { default: '' } }),
  parseHTML: () => [
    { tag: 'span[data-variable]', getAttrs: (element) => ({ source: element.getAttribute('data-variable') }) },
  ],
  renderHTML: ({ node, HTMLAttributes }) => [
    'span',
    mergeAttributes(HTMLAttributes, { 'data-variable': String(node.attrs['source']) }),
  ],
  renderText: ({ node }) => String(node.attrs['source']),
  addNodeView: () => ReactNodeViewRenderer(VariableChip),
  addInputRules() {
    return [nodeInputRule({ find: TYPED, type: this.type, getAttributes: ([source]) => ({ source }) })]
  },
  addPasteRules() {
    return [nodePasteRule({ find: PASTED, type: this.type, getAttributes: ([source]) => ({ source }) })]
  },
  addKeyboardShortcuts() {
    return {
      Enter: ({ editor: { state, view } }) => {
        const { selection } = state
        if (!(selection instanceof NodeSelection) || selection.node.type !== this.type) return false
        const element = view.nodeDOM(selection.from)
        if (element instanceof HTMLElement) element.querySelector('button')?.click()
        return true
      },
    }
  },
})
