import { Button, Select, TextInput } from '@mantine/core'
import { ListItem } from '@tiptap/extension-list'
import { type Editor, EditorContent, useEditor, useEditorState } from '@tiptap/react'
import StarterKit from '@tiptap/starter-kit'
import { type KeyboardEvent, type MouseEvent, useState } from 'react'
import type { Paragraph } from './blocks.ts'
import { fromDocument, toDocument } from './rich-text.ts'
import classes from './template.module.css'

/** Where links lead that mail programs follow; see the API's. */
const isAddress = (url: string): boolean => /^(?:https?:\/\/|mailto:|tel:|\{\{|\{%)/i.test(url)

const EXTENSIONS = [
  StarterKit.configure({
    heading: { levels: [1, 2] },
    blockquote: false,
    code: false,
    codeBlock: false,
    horizontalRule: false,
    strike: false,
    listItem: false,
    trailingNode: false,
    link: { openOnClick: false, autolink: false, isAllowedUri: isAddress },
  }),
  // One line each, and none in another: so Tab goes on to the next field.
  ListItem.extend({ content: 'paragraph' }),
]

/** A text as in any word processor. Variables are written as they are: `{{ contact.firstName }}`. */
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
    editorProps: { attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': label } },
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

function choose(editor: Editor, style: string | null): void {
  const chain = editor.chain().focus()
  // Out of any list first.
  const plain = editor.isActive('bulletList')
    ? chain.toggleBulletList()
    : editor.isActive('orderedList')
      ? chain.toggleOrderedList()
      : chain
  if (style === 'HEADING') plain.setHeading({ level: 1 }).run()
  else if (style === 'SMALL_HEADING') plain.setHeading({ level: 2 }).run()
  else if (style === 'BULLET') plain.setParagraph().toggleBulletList().run()
  else if (style === 'NUMBER') plain.setParagraph().toggleOrderedList().run()
  else plain.setParagraph().run()
}

/** Whoever presses it goes on writing where they were. */
const stay = (event: MouseEvent) => event.preventDefault()

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
  const isWrong = link !== undefined && link.trim() !== '' && !isAddress(link.trim())
  const setHref = () => {
    if (link === undefined || isWrong) return
    const chain = editor.chain().focus().extendMarkRange('link')
    if (link.trim() === '') chain.unsetLink().run()
    else chain.setLink({ href: link.trim() }).run()
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
    <div role="group" aria-label={`How ${of} looks`} className={classes.toolbar}>
      <Select
        aria-label="Style"
        data={STYLES}
        value={state.style}
        allowDeselect={false}
        onChange={(style) => choose(editor, style)}
        w={140}
      />
      {marks.map(([word, isOn, toggle]) => (
        <Button
          key={word}
          variant={isOn ? 'light' : 'subtle'}
          color="gray"
          aria-pressed={isOn}
          onMouseDown={stay}
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
            aria-label="Where it leads"
            placeholder="https://example.com, or empty for no link"
            value={link}
            error={isWrong && 'It begins with https://, http://, mailto:, tel: or Liquid'}
            onChange={({ currentTarget: { value } }) => setLink(value)}
            onKeyDown={onKey}
            autoFocus
            style={{ flex: 1 }}
          />
          <Button onClick={setHref}>{link.trim() === '' ? 'No link' : 'Set'}</Button>
        </div>
      )}
    </div>
  )
}
