import { useEffect, useRef } from 'react'
import { Extension } from '@tiptap/core'
import { PluginKey } from '@tiptap/pm/state'
import { type Editor, ReactRenderer } from '@tiptap/react'
import { flip, shift } from '@floating-ui/dom'
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

const MENU_ID = 'insert-menu'
const optionId = (n: number) => `insert-option-${n}`

type MenuProps = Pick<SuggestionProps<Entry, Entry>, 'items' | 'command'> & { active: number }

function InsertMenuList({ items, command, active }: MenuProps) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => list.current?.children[active]?.scrollIntoView({ block: 'nearest' }), [active])
  return (
    <ul ref={list} id={MENU_ID} role="listbox" aria-label="Insert" className={classes.insertMenu}>
      {items.map((entry, n) => (
        <li
          key={entry.label + ('path' in entry ? entry.path : '')}
          id={optionId(n)}
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
  // The text keeps the focus, and tells screen readers which option is active (WAI-ARIA, combobox).
  const describe = () => {
    const { dom } = props.editor.view
    const isOpen = props.items.length > 0
    dom.setAttribute('aria-expanded', String(isOpen))
    if (isOpen) dom.setAttribute('aria-activedescendant', optionId(active))
    else dom.removeAttribute('aria-activedescendant')
  }
  const update = () => {
    renderer?.updateProps({ items: props.items, command: props.command, active })
    describe()
  }
  return {
    onStart(started) {
      props = started
      active = 0
      renderer = new ReactRenderer(InsertMenuList, {
        editor: started.editor,
        props: { items: started.items, command: started.command, active },
      })
      const { element } = renderer
      // Above the full-screen editor of a campaign.
      element.style.zIndex = '400'
      unmount = started.mount(element)
      started.editor.view.dom.setAttribute('aria-controls', MENU_ID)
      describe()
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
      for (const name of ['aria-expanded', 'aria-controls', 'aria-activedescendant'])
        props.editor.view.dom.removeAttribute(name)
      renderer?.destroy()
      renderer = undefined
    },
  }
}

/** Keeps the menu within the screen. */
const FLOATING = { strategy: 'fixed' as const, middleware: [shift({ padding: 8 }), flip({ padding: 8 })] }

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
        floatingUi: FLOATING,
        items: ({ query }) => [...BLOCK_ENTRIES, ...options.variables()].filter((entry) => matches(entry, query)),
      }),
      Suggestion<Entry, Entry>({
        ...shared,
        pluginKey: new PluginKey('insert variable'),
        char: '{{',
        allowedPrefixes: null,
        allowSpaces: true,
        floatingUi: FLOATING,
        items: ({ query }) => options.variables().filter((entry) => matches(entry, query)),
      }),
    ]
  },
})
