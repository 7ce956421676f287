import { Button, Select, TextInput } from '@mantine/core'
import { ListItem, OrderedList } from '@tiptap/extension-list'
import { type Editor, EditorContent, useEditor, useEditorState } from '@tiptap/react'
import StarterKit from '@tiptap/starter-kit'
import { type KeyboardEvent, type MouseEvent, useState } from 'react'
import { INVALID_LINK_MESSAGE, isLinkUrl } from './link-url.ts'
import type { Paragraph } from './blocks.ts'
import { fromDocument, toDocument } from './rich-text.ts'
import classes from './template.module.css'

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
    link: { openOnClick: false, autolink: false, isAllowedUri: isLinkUrl },
  }),
  // Items have one paragraph and cannot be nested, so that Tab moves to the next field.
  ListItem.extend({ content: 'paragraph' }),
  // Lists always start at 1.
  OrderedList.extend({ addAttributes: () => ({}) }),
]

/** A rich text editor. Variables are typed as text: `{{ contact.firstName }}`. */
export function RichText({
  label,
  paragraphs,
  onChange,
  readOnly,
}: {
  label: string
  paragraphs: readonly Paragraph[]
  onChange: (paragraphs: Paragraph[]) => void
  readOnly: boolean
}) {
  const editor = useEditor({
    extensions: EXTENSIONS,
    content: toDocument(paragraphs),
    editable: !readOnly,
    injectCSS: false,
    editorProps: {
      transformPastedHTML: withoutTables,
      attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': label },
    },
    onUpdate: ({ editor: at }) => onChange(fromDocument(at.getJSON())),
  })
  return (
    <div className={classes.rich}>
      {!readOnly && <Toolbar editor={editor} of={label} />}
      <EditorContent editor={editor} />
    </div>
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
    ['Bold', state.bold, () => editor.chain().focus().toggleBold().run()],
    ['Italic', state.italic, () => editor.chain().focus().toggleItalic().run()],
    ['Underline', state.underline, () => editor.chain().focus().toggleUnderline().run()],
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
        w={140}
      />
      {marks.map(([word, isOn, toggle]) => (
        <Button
          key={word}
          variant={isOn ? 'light' : 'subtle'}
          color="gray"
          aria-pressed={isOn}
          onMouseDown={keepFocus}
          onClick={toggle}
        >
          {word}
        </Button>
      ))}
      <Button
        variant={state.href === '' ? 'subtle' : 'light'}
        color="gray"
        aria-expanded={link !== undefined}
        onClick={() => setLink(link === undefined ? state.href : undefined)}
      >
        Link…
      </Button>
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
