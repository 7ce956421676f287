import { SegmentedControl, TextInput } from '@mantine/core'
import { IntegerInput } from '../../components/IntegerInput.tsx'
import { CodeEditor } from '../../components/CodeEditor.tsx'
import { INVALID_LINK_MESSAGE, isLinkUrl } from './link-url.ts'
import { BlockList } from './BlockList.tsx'
import { type Block, type KeyedBlock, withKey, type PlainBlock } from './blocks.ts'
import { RichText } from './RichText.tsx'
import classes from './template.module.css'

const ALIGNMENTS = [
  { value: 'LEFT', label: 'Left' },
  { value: 'CENTER', label: 'Center' },
  { value: 'RIGHT', label: 'Right' },
] as const

type Alignment = (typeof ALIGNMENTS)[number]['value']

/** Edits one block. @param name label of the block, such as "Text 1" */
export function BlockFields<Of extends Block>({
  block,
  name,
  dataKeys,
  readOnly,
  onChange,
}: {
  block: Of
  name: string
  dataKeys: readonly string[]
  readOnly: boolean
  onChange: (block: Of) => void
}) {
  const set = (some: object) => onChange({ ...block, ...some })
  const line = (field: string, label: string, value: string, placeholder?: string, description?: string) => (
    <TextInput
      label={label}
      value={value}
      readOnly={readOnly}
      error={
        (field === 'url' || field === 'link') && value.trim() !== '' && !isLinkUrl(value.trim()) && INVALID_LINK_MESSAGE
      }
      {...(placeholder !== undefined && { placeholder })}
      {...(description !== undefined && { description })}
      onChange={({ currentTarget }) => set({ [field]: currentTarget.value })}
    />
  )
  const align = (value: Alignment) => (
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
      return (
        <>
          <RichText
            label={name}
            paragraphs={block.paragraphs}
            readOnly={readOnly}
            onChange={(paragraphs) => set({ paragraphs })}
          />
          {align(block.align ?? 'LEFT')}
        </>
      )
    case 'BUTTON':
      return (
        <>
          {line('label', 'Label', block.label, 'Get started')}
          {line('url', 'Link', block.url, 'https://example.com/start')}
          {align(block.align ?? 'CENTER')}
        </>
      )
    case 'IMAGE':
      return (
        <>
          {line('url', 'Image URL', block.url, 'https://example.com/box.png')}
          {line('alt', 'Alt text', block.alt, 'A box of apples', 'Shown when images are off.')}
          {line('link', 'Link', block.link ?? '', 'No link')}
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
      return null
    case 'COLUMNS':
      return (
        <Columns
          block={block}
          name={name}
          dataKeys={dataKeys}
          readOnly={readOnly}
          onChange={(changed) => onChange(changed as Of)}
        />
      )
  }
}

type ColumnsBlock = Extract<Block, { type: 'COLUMNS' }>

/** Stable keys of the blocks in columns. */
const kept = new WeakMap<PlainBlock, KeyedBlock<PlainBlock>>()
const keptOf = (block: PlainBlock): KeyedBlock<PlainBlock> => {
  const known = kept.get(block) ?? withKey(block)
  kept.set(block, known)
  return known
}

function Columns({
  block,
  name,
  dataKeys,
  readOnly,
  onChange,
}: {
  block: ColumnsBlock
  name: string
  dataKeys: readonly string[]
  readOnly: boolean
  onChange: (block: ColumnsBlock) => void
}) {
  const write = (column: number, blocks: readonly KeyedBlock<PlainBlock>[]) => {
    for (const each of blocks) kept.set(each.block, each)
    const columns = block.columns.map((each, n) => (n === column ? { blocks: blocks.map((one) => one.block) } : each))
    onChange({ ...block, columns })
  }
  const count = (columns: number) =>
    onChange({
      ...block,
      columns: Array.from({ length: columns }, (_, n) => block.columns[n] ?? { blocks: [] }),
    })
  return (
    <>
      <SegmentedControl
        aria-label={`Number of columns of ${name}`}
        data={['2', '3', '4'].map((columns) => ({
          value: columns,
          label: columns,
          // Only empty columns can be removed.
          disabled: block.columns.slice(Number(columns)).some(({ blocks }) => blocks.length > 0),
        }))}
        value={String(block.columns.length)}
        readOnly={readOnly}
        onChange={(columns) => count(Number(columns))}
      />
      <div className={classes.columns}>
        {block.columns.map(({ blocks }, column) => (
          <BlockList<PlainBlock>
            key={column}
            name={`column ${column + 1} of ${name}`}
            blocks={blocks.map(keptOf)}
            isInColumn
            dataKeys={dataKeys}
            readOnly={readOnly}
            onChange={(changed) => write(column, changed)}
          />
        ))}
      </div>
    </>
  )
}
