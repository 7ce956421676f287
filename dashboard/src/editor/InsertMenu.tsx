import { Extension } from '@tiptap/core'
import { PluginKey } from '@tiptap/pm/state'
import { type Editor, ReactRenderer } from '@tiptap/react'
import Suggestion, { type SuggestionOptions, type SuggestionProps } from '@tiptap/suggestion'
import { BLOCK_LABELS, type BlockType, PLAIN_TYPES } from './blocks.ts'
import { shortName, writeVariable } from './variables.ts'
import classes from './editor.module.css'

/** An entry of the menu that `/` and `{{` open in a text. */
type Entry = { block: BlockType; label: string } | { path: string; label: string }

export interface InsertMenuOptions {
  /** The variables to insert. */
  variables: () => readonly { path: string; label: string }[]
  /** Inserts a block below the text. */
  onBlock: (type: BlockType) => void
}

type MenuProps = Pick<SuggestionProps<Entry, Entry>, 'items' | 'command'> & { active: number }

function InsertMenuList({ items, command, active }: MenuProps) {
  return (
    <ul role="listbox" aria-label="Insert" className={classes.insertMenu}>
      {items.map((entry, n) => (
        <li
          key={entry.label + ('path' in entry ? entry.path : '')}
          role="option"
          aria-selected={n === active}
          // The editor keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => command(entry)}
        >
          {'path' in entry ? <span className={classes.chip}>{shortName(entry.path)}</span> : entry.label}
          {'path' in entry && <span className="small t3">{entry.label}</span>}
        </li>
      ))}
    </ul>
  )
}

/** Draws the menu at the caret, and moves through it with the arrow keys. */
function renderMenu(): ReturnType<NonNullable<SuggestionOptions<Entry, Entry>['render']>> {
  let renderer: ReactRenderer<unknown, MenuProps> | undefined
  let unmount = () => {}
  let props: SuggestionProps<Entry, Entry>
  let active = 0
  const update = () => renderer?.updateProps({ items: props.items, command: props.command, active })
  return {
    onStart(started) {
      props = started
      active = 0
      renderer = new ReactRenderer(InsertMenuList, {
        editor: started.editor,
        props: { items: started.items, command: started.command, active },
      })
      unmount = started.mount(renderer.element)
    },
    onUpdate(updated) {
      props = updated
      active = Math.min(active, Math.max(0, updated.items.length - 1))
      update()
    },
    onKeyDown({ event }) {
      const count = props.items.length
      if (count === 0) return false
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (step !== undefined) {
        active = (active + step + count) % count
        update()
        return true
      }
      if (event.key !== 'Enter' && event.key !== 'Tab') return false
      props.command(props.items[active]!)
      return true
    },
    onExit() {
      unmount()
      renderer?.destroy()
      renderer = undefined
    },
  }
}

const BLOCK_ENTRIES: readonly Entry[] = PLAIN_TYPES.map((block) => ({ block, label: BLOCK_LABELS[block] }))

const matches = (entry: Entry, typed: string): boolean =>
  `${entry.label} ${'path' in entry ? entry.path : ''}`.toLowerCase().includes(typed.trim().toLowerCase())

/** Opens a menu of blocks and variables at `/`, and of variables at `{{`. */
export const InsertMenu = Extension.create<InsertMenuOptions>({
  name: 'insertMenu',
  addOptions: () => ({ variables: () => [], onBlock: () => {} }),
  addProseMirrorPlugins() {
    const { editor, options } = this
    const insert = ({
      editor: at,
      range,
      props,
    }: {
      editor: Editor
      range: { from: number; to: number }
      props: Entry
    }) => {
      const chain = at.chain().focus().deleteRange(range)
      if ('path' in props)
        chain
          .insertContent({ type: 'variable', attrs: { source: writeVariable({ path: props.path, fallback: null }) } })
          .run()
      else {
        chain.run()
        options.onBlock(props.block)
      }
    }
    const shared = { editor, command: insert, render: renderMenu }
    return [
      Suggestion<Entry, Entry>({
        ...shared,
        pluginKey: new PluginKey('insert block'),
        char: '/',
        items: ({ query }) => [...BLOCK_ENTRIES, ...options.variables()].filter((entry) => matches(entry, query)),
      }),
      Suggestion<Entry, Entry>({
        ...shared,
        pluginKey: new PluginKey('insert variable'),
        char: '{{',
        allowedPrefixes: null,
        allowSpaces: true,
        items: ({ query }) => options.variables().filter((entry) => matches(entry, query)),
      }),
    ]
  },
})
