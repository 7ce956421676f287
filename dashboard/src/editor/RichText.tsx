import { ActionIcon, Button, Select, TextInput } from '@mantine/core'
import { IconBold, IconItalic, IconLink, IconUnderline } from '@tabler/icons-react'
import { Extension } from '@tiptap/core'
import { ListItem, OrderedList } from '@tiptap/extension-list'
import { type Editor, EditorContent, type JSONContent, useEditor, useEditorState } from '@tiptap/react'
import StarterKit from '@tiptap/starter-kit'
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react'
import type { BlockType, Paragraph } from './blocks.ts'
import { InsertMenu } from './InsertMenu.tsx'
import { INVALID_LINK_MESSAGE, isLinkUrl } from './link-url.ts'
import { fromDocument, toDocument } from './rich-text.ts'
import { VariableNode } from './VariableChip.tsx'
import classes from './editor.module.css'

const EXTENSIONS = [
  StarterKit.configure({
    heading: { levels: [1, 2] },
    blockquote: false,
    code: false,
    codeBlock: false,
    horizontalRule: false,
    strike: false,
    listItem: false,
    orderedList: false,
    trailingNode: false,
    // The whole email has one history.
    undoRedo: false,
    link: { openOnClick: false, autolink: false, isAllowedUri: isLinkUrl },
  }),
  // Items have one paragraph and cannot be nested, so that Tab moves to the next field.
  ListItem.extend({ content: 'paragraph' }),
  // Lists always start at 1.
  OrderedList.extend({ addAttributes: () => ({}) }),
  VariableNode,
]

/** The place of the caret when the text opens: at a point of the screen, or at the end, with a letter that was typed already. */
export type CaretPlace = { x: number; y: number } | { text: string } | 'end' | undefined

interface KeysOptions {
  on: () => { onLeave: () => void; undo: (() => void) | undefined; redo: (() => void) | undefined }
}

/** Keys that concern the whole email. They come after those of the menu, which Escape closes first. */
const Keys = Extension.create<KeysOptions>({
  name: 'emailKeys',
  priority: 1,
  addOptions: () => ({ on: () => ({ onLeave: () => {}, undo: undefined, redo: undefined }) }),
  addKeyboardShortcuts() {
    const { on } = this.options
    // True, so that the browser does not undo on its own.
    const press = (act: (() => void) | undefined) => {
      act?.()
      return true
    }
    return {
      Escape: () => press(on().onLeave),
      'Mod-z': () => press(on().undo),
      'Shift-Mod-z': () => press(on().redo),
      'Mod-y': () => press(on().redo),
    }
  },
})

const documentOf = (paragraphs: readonly Paragraph[]) => toDocument(paragraphs) as JSONContent

/** A text of an email, edited in its place. `/` inserts a block or a variable, and `{{` a variable. */
export function RichText({
  label,
  paragraphs,
  caret,
  variables,
  onChange,
  onBlock,
  onLeave,
  undo,
  redo,
}: {
  label: string
  paragraphs: readonly Paragraph[]
  caret: CaretPlace
  variables: readonly { path: string; label: string }[]
  onChange: (paragraphs: Paragraph[]) => void
  /** Inserts a block below. */
  onBlock: (type: BlockType) => void
  /** Escape was pressed. */
  onLeave: () => void
  undo: (() => void) | undefined
  redo: (() => void) | undefined
}) {
  const latest = useRef({ variables, onBlock, onLeave, undo, redo })
  useEffect(() => void (latest.current = { variables, onBlock, onLeave, undo, redo }))
  /** Texts passed to `onChange` that have not come back as `paragraphs` yet. */
  const emitted = useRef(new Set<string>())
  const editor = useEditor({
    extensions: [
      ...EXTENSIONS,
      InsertMenu.configure({
        variables: () => latest.current.variables,
        onBlock: (type) => latest.current.onBlock(type),
      }),
      Keys.configure({ on: () => latest.current }),
    ],
    content: documentOf(paragraphs),
    injectCSS: false,
    editorProps: {
      transformPastedHTML: withoutTables,
      attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': label },
    },
    onUpdate: ({ editor: at }) => {
      const written = fromDocument(at.getJSON())
      emitted.current.add(JSON.stringify(written))
      onChange(written)
    },
    onCreate: ({ editor: at }) => {
      if (caret === undefined) return
      const isPoint = typeof caret === 'object' && 'x' in caret
      const found = isPoint ? at.view.posAtCoords({ left: caret.x, top: caret.y }) : undefined
      at.commands.focus(found?.pos ?? 'end', { scrollIntoView: false })
      if (typeof caret === 'object' && 'text' in caret) at.commands.insertContent(caret.text)
    },
  })
  // Undo, or a fix of a problem, replaces the text.
  const given = JSON.stringify(paragraphs)
  useEffect(() => {
    const isShown = given === JSON.stringify(fromDocument(editor.getJSON()))
    // The editor's own texts can come back after the next keystroke and must not overwrite it.
    if (!isShown && emitted.current.delete(given)) return
    emitted.current.clear()
    if (isShown) return
    const { from } = editor.state.selection
    editor.commands.setContent(documentOf(JSON.parse(given) as Paragraph[]), { emitUpdate: false })
    editor.commands.setTextSelection(Math.min(from, editor.state.doc.content.size))
  }, [editor, given])
  return (
    <>
      <Toolbar editor={editor} of={label} />
      <EditorContent editor={editor} />
    </>
  )
}

const STYLES = [
  { value: 'PARAGRAPH', label: 'Paragraph' },
  { value: 'HEADING', label: 'Heading' },
  { value: 'SMALL_HEADING', label: 'Small heading' },
  { value: 'BULLET', label: 'List' },
  { value: 'NUMBER', label: 'Numbered list' },
] as const

function setStyle(editor: Editor, style: string | null): void {
  const chain = editor.chain().focus()
  const [isBullets, isNumbers] = [editor.isActive('bulletList'), editor.isActive('orderedList')]
  // Converts the whole list.
  if (style === 'BULLET') return void (isBullets || chain.toggleBulletList().run())
  if (style === 'NUMBER') return void (isNumbers || chain.toggleOrderedList().run())
  const plain = isBullets ? chain.toggleBulletList() : isNumbers ? chain.toggleOrderedList() : chain
  if (style === 'HEADING') plain.setHeading({ level: 1 }).run()
  else if (style === 'SMALL_HEADING') plain.setHeading({ level: 2 }).run()
  else plain.setParagraph().run()
}

/** Replaces pasted tables with one paragraph for each cell. */
const withoutTables = (html: string): string =>
  html
    .replace(/<(\/?)(?:td|th)\b[^>]*>/gi, '<$1p>')
    .replace(/<\/?(?:table|thead|tbody|tfoot|tr|colgroup|col)\b[^>]*>/gi, '')

/** Keeps the focus in the text when a toolbar button is pressed. */
const keepFocus = (event: MouseEvent) => event.preventDefault()

function Toolbar({ editor, of }: { editor: Editor; of: string }) {
  const [link, setLink] = useState<string>()
  const state = useEditorState({
    editor,
    selector: ({ editor: at }) => ({
      bold: at.isActive('bold'),
      italic: at.isActive('italic'),
      underline: at.isActive('underline'),
      href: (at.getAttributes('link')['href'] as string | undefined) ?? '',
      style: at.isActive('heading', { level: 1 })
        ? 'HEADING'
        : at.isActive('heading', { level: 2 })
          ? 'SMALL_HEADING'
          : at.isActive('bulletList')
            ? 'BULLET'
            : at.isActive('orderedList')
              ? 'NUMBER'
              : 'PARAGRAPH',
    }),
  })
  const marks = [
    ['Bold', IconBold, state.bold, () => editor.chain().focus().toggleBold().run()],
    ['Italic', IconItalic, state.italic, () => editor.chain().focus().toggleItalic().run()],
    ['Underline', IconUnderline, state.underline, () => editor.chain().focus().toggleUnderline().run()],
  ] as const
  const isWrong = link !== undefined && link.trim() !== '' && !isLinkUrl(link.trim())
  const setHref = () => {
    if (link === undefined || isWrong) return
    const href = link.trim()
    const chain = editor.chain().focus().extendMarkRange('link')
    if (href === '') chain.unsetLink().run()
    // Without a selection, the URL becomes the link text.
    else if (editor.state.selection.empty && !editor.isActive('link'))
      chain.insertContent({ type: 'text', text: href, marks: [{ type: 'link', attrs: { href } }] }).run()
    else chain.setLink({ href }).run()
    setLink(undefined)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Enter') setHref()
    else {
      setLink(undefined)
      editor.commands.focus()
    }
  }
  return (
    <div role="group" aria-label={`Formatting of ${of}`} className={classes.toolbar}>
      <Select
        aria-label="Style"
        data={STYLES}
        value={state.style}
        allowDeselect={false}
        onChange={(style) => setStyle(editor, style)}
        w={132}
      />
      {marks.map(([word, Icon, isOn, toggle]) => (
        <ActionIcon
          key={word}
          variant={isOn ? 'light' : 'subtle'}
          color="gray"
          aria-label={word}
          title={word}
          aria-pressed={isOn}
          onMouseDown={keepFocus}
          onClick={toggle}
        >
          <Icon aria-hidden />
        </ActionIcon>
      ))}
      <ActionIcon
        variant={state.href === '' ? 'subtle' : 'light'}
        color="gray"
        aria-label="Link…"
        title="Link"
        aria-expanded={link !== undefined}
        onClick={() => setLink(link === undefined ? state.href : undefined)}
      >
        <IconLink aria-hidden />
      </ActionIcon>
      {link !== undefined && (
        <div className="row" style={{ width: '100%', alignItems: 'start' }}>
          <TextInput
            aria-label="Link URL"
            placeholder="https://example.com"
            value={link}
            error={isWrong && INVALID_LINK_MESSAGE}
            onChange={({ currentTarget: { value } }) => setLink(value)}
            onKeyDown={onKey}
            autoFocus
            style={{ flex: 1 }}
          />
          <Button onClick={setHref}>{link.trim() === '' ? 'Remove link' : 'Set link'}</Button>
        </div>
      )}
    </div>
  )
}
