import { Button, SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPhoto } from '@tabler/icons-react'
import { CodeEditor } from '../components/CodeEditor.tsx'
import { IntegerInput } from '../components/IntegerInput.tsx'
import { MediaDialog } from '../components/media/MediaDialog.tsx'
import type { PlainBlock } from './blocks.ts'
import { INVALID_LINK_MESSAGE, isLinkUrl } from './link-url.ts'
import { type ColumnsNode, type EditorNode, isColumns } from './nodes.ts'

const ALIGNMENTS = [
  { value: 'LEFT', label: 'Left' },
  { value: 'CENTER', label: 'Center' },
  { value: 'RIGHT', label: 'Right' },
] as const

interface FieldsProps<Of> {
  of: Of
  /** The name of the block, such as "Text 1". */
  name: string
  dataKeys: readonly string[]
  readOnly: boolean
  onChange: (changed: Of) => void
}

/** The settings of a block. */
export function NodeFields({ of: node, onChange, ...rest }: FieldsProps<EditorNode>) {
  if (isColumns(node)) return <ColumnCount of={node} onChange={onChange} {...rest} />
  return <BlockFields of={node.block} onChange={(block) => onChange({ ...node, block })} {...rest} />
}

function BlockFields({ of: block, name, dataKeys, readOnly, onChange }: FieldsProps<PlainBlock>) {
  const set = (some: object) => onChange({ ...block, ...some })
  const url = (field: 'url' | 'link', label: string, value: string, placeholder: string) => (
    <TextInput
      label={label}
      value={value}
      readOnly={readOnly}
      error={value.trim() !== '' && !isLinkUrl(value.trim()) && INVALID_LINK_MESSAGE}
      placeholder={placeholder}
      onChange={({ currentTarget }) => set({ [field]: currentTarget.value })}
    />
  )
  const align = (value: (typeof ALIGNMENTS)[number]['value']) => (
    <SegmentedControl
      aria-label={`Alignment of ${name}`}
      data={[...ALIGNMENTS]}
      value={value}
      readOnly={readOnly}
      onChange={(chosen) => set({ align: chosen })}
    />
  )
  switch (block.type) {
    case 'TEXT':
      return align(block.align ?? 'LEFT')
    case 'BUTTON':
      return (
        <>
          <TextInput
            label="Label"
            placeholder="Get started"
            value={block.label}
            readOnly={readOnly}
            onChange={({ currentTarget: { value } }) => set({ label: value })}
          />
          {url('url', 'Link', block.url, 'https://example.com/start')}
          {align(block.align ?? 'CENTER')}
        </>
      )
    case 'IMAGE':
      return (
        <>
          {!readOnly && <ChooseImage of={block} onChange={set} />}
          {url('url', 'Image URL', block.url, 'https://example.com/box.png')}
          <Textarea
            label="Alt text"
            description="For recipients who do not see the image."
            placeholder="A box of apples"
            autosize
            value={block.alt}
            readOnly={readOnly}
            onChange={({ currentTarget: { value } }) => set({ alt: value })}
          />
          {url('link', 'Link', block.link ?? '', 'No link')}
          <IntegerInput
            label="Width (pixels)"
            placeholder="Full width"
            min={1}
            max={600}
            isOptional
            value={block.width ?? null}
            readOnly={readOnly}
            onChange={(width) => set({ width: width ?? undefined })}
          />
        </>
      )
    case 'SPACER':
      return (
        <IntegerInput
          label="Height (pixels)"
          min={1}
          max={200}
          value={block.height}
          readOnly={readOnly}
          onChange={(height) => height !== null && set({ height })}
        />
      )
    case 'CODE':
      return (
        <CodeEditor
          label="HTML"
          as="html"
          keys={dataKeys}
          value={block.html}
          readOnly={readOnly}
          onChange={(html) => set({ html })}
        />
      )
    case 'DIVIDER':
      return <p className="t2">A line between two parts of the email.</p>
  }
}

function ChooseImage({
  of: { url, alt },
  onChange,
}: {
  of: Extract<PlainBlock, { type: 'IMAGE' }>
  onChange: (some: object) => void
}) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button leftSection={<IconPhoto aria-hidden />} onClick={open}>
        {url === '' ? 'Choose image…' : 'Replace image…'}
      </Button>
      {isOpen && <MediaDialog current={{ url, alt }} onChoose={onChange} onClose={close} />}
    </>
  )
}

function ColumnCount({ of: node, name, readOnly, onChange }: FieldsProps<ColumnsNode>) {
  const { columns } = node
  return (
    <SegmentedControl
      aria-label={`Number of columns of ${name}`}
      data={[2, 3, 4].map((count) => ({
        value: String(count),
        label: `${count} columns`,
        // Only empty columns can be removed.
        disabled: columns.slice(count).some((blocks) => blocks.length > 0),
      }))}
      value={String(columns.length)}
      readOnly={readOnly}
      onChange={(count) =>
        onChange({ ...node, columns: Array.from({ length: Number(count) }, (_, n) => columns[n] ?? []) })
      }
    />
  )
}
