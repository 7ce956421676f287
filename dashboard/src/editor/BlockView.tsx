import { IconCode, IconPhoto } from '@tabler/icons-react'
import { Fragment, type CSSProperties, type ReactNode } from 'react'
import { useWebImages } from '../components/media/web-images.ts'
import type { Paragraph, PlainBlock, Run } from './blocks.ts'
import { splitVariables } from './variables.ts'
import { VariableLabel } from './VariableChip.tsx'
import classes from './editor.module.css'

type Of<Type extends PlainBlock['type']> = Extract<PlainBlock, { type: Type }>

/** A block as the email shows it, except for texts that are being edited. */
export function BlockView({ block }: { block: PlainBlock }) {
  switch (block.type) {
    case 'TEXT':
      return <TextView block={block} />
    case 'BUTTON':
      return (
        <div style={{ textAlign: alignOf(block.align ?? 'CENTER') }}>
          <span className={classes.button}>{block.label === '' ? 'Button' : withVariables(block.label)}</span>
        </div>
      )
    case 'IMAGE':
      return <ImageView block={block} />
    case 'DIVIDER':
      return <hr className={classes.divider} />
    case 'SPACER':
      return <div style={{ height: block.height }} />
    case 'CODE':
      return (
        <pre className={classes.code}>
          <IconCode aria-hidden />
          {block.html.trim() === '' ? 'HTML' : block.html.slice(0, 400)}
        </pre>
      )
  }
}

const alignOf = (align: string): CSSProperties['textAlign'] => align.toLowerCase() as CSSProperties['textAlign']

/** Shows the variables of a text as chips. */
const withVariables = (text: string): ReactNode =>
  splitVariables(text).map((part, n) =>
    'source' in part ? <VariableLabel key={n} source={part.source} /> : <Fragment key={n}>{part.text}</Fragment>,
  )

function TextView({ block: { paragraphs, align = 'LEFT' } }: { block: Of<'TEXT'> }) {
  const isEmpty = paragraphs.every(({ runs }) => runs.every(({ text }) => text === ''))
  return (
    <div className={classes.words} style={{ textAlign: alignOf(align) }}>
      {isEmpty ? (
        <p className={classes.hint}>Write a text, or press / for blocks</p>
      ) : (
        groupsOf(paragraphs).map(renderGroup)
      )}
    </div>
  )
}

interface Group {
  list: 'ul' | 'ol' | undefined
  paragraphs: Paragraph[]
}

/** Joins consecutive list items. */
function groupsOf(paragraphs: readonly Paragraph[]): Group[] {
  const groups: Group[] = []
  for (const paragraph of paragraphs) {
    const list = paragraph.style === 'BULLET' ? 'ul' : paragraph.style === 'NUMBER' ? 'ol' : undefined
    const last = groups.at(-1)
    if (list !== undefined && last?.list === list) last.paragraphs.push(paragraph)
    else groups.push({ list, paragraphs: [paragraph] })
  }
  return groups
}

function renderGroup({ list: List, paragraphs }: Group, at: number) {
  if (List)
    return (
      <List key={at}>
        {paragraphs.map(({ runs }, n) => (
          <li key={n}>{renderRuns(runs)}</li>
        ))}
      </List>
    )
  const [{ style, runs }] = paragraphs as [Paragraph]
  // Headings of the email are not headings of this page.
  const heading = style === 'HEADING' ? classes.large : style === 'SMALL_HEADING' ? classes.medium : undefined
  return (
    <p key={at} className={heading}>
      {runs.length === 0 ? <br /> : renderRuns(runs)}
    </p>
  )
}

const renderRuns = (runs: readonly Run[]): ReactNode =>
  runs.map(({ text, bold, italic, underline, link }, n) => {
    let shown: ReactNode = text.split('\n').map((line, at) => (
      <Fragment key={at}>
        {at > 0 && <br />}
        {withVariables(line)}
      </Fragment>
    ))
    if (underline) shown = <u>{shown}</u>
    if (italic) shown = <em>{shown}</em>
    if (bold) shown = <strong>{shown}</strong>
    return <Fragment key={n}>{link ? <span className={classes.link}>{shown}</span> : shown}</Fragment>
  })

function ImageView({ block: { url, alt, width } }: { block: Of<'IMAGE'> }) {
  const loaded = useWebImages([url]).get(url)
  if (loaded === undefined)
    return (
      <div className={classes.noImage}>
        <IconPhoto aria-hidden />
        {url === '' ? 'No image chosen' : alt === '' ? url : alt}
      </div>
    )
  return <img className={classes.image} src={loaded} alt={alt} style={width === undefined ? {} : { width }} />
}
