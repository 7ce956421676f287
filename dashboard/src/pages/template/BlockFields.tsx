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
  { value: 'CENTER', label: 'Middle' },
  { value: 'RIGHT', label: 'Right' },
] as const

type Alignment = (typeof ALIGNMENTS)[number]['value']

/** What one block says, and how. @param name by which it is known on the page */
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
      aria-label={`Where ${name} stands`}
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
          {line('label', 'Says', block.label, 'Begin')}
          {line('url', 'Leads to', block.url, 'https://example.com/start')}
          {align(block.align ?? 'CENTER')}
        </>
      )
    case 'IMAGE':
      return (
        <>
          {line('url', 'Where it is', block.url, 'https://example.com/box.png')}
          {line(
            'alt',
            'What is to be seen',
            block.alt,
            'A box of apples',
            'For whoever sees no images, and for spam filters.',
          )}
          {line('link', 'Leads to', block.link ?? '', 'Nowhere')}
          <IntegerInput
            label="Width, in pixels"
            placeholder="As wide as there is room"
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
          label="Height, in pixels"
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

/** What lies in them is known by the same keys, as long as it is the same. */
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
        aria-label={`How many columns ${name} has`}
        data={['2', '3', '4'].map((columns) => ({
          value: columns,
          label: columns,
          // What is in one that would go is taken out first.
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
