import { Button, ColorInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useDataKeys } from '../../api/reads.ts'
import { useMay, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../parts/CurlButton.tsx'
import { Editor } from '../../parts/Editor.tsx'
import { Unsaved } from '../../parts/NotSaved.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { without } from '../../parts/without.ts'
import { Page, Part } from '../../shell/Page.tsx'
import { BlockList } from './BlockList.tsx'
import { type Block, type Kept, keep, type Theme } from './blocks.ts'
import { type Content, TemplatePreview } from './TemplatePreview.tsx'
import classes from './template.module.css'

type Template = Schemas['Template']

/** What of an image or a link says nothing is left out, and blanks around an address are. */
const cleaned = (block: Block): Block => {
  switch (block.type) {
    case 'COLUMNS':
      return {
        ...block,
        columns: block.columns.map(({ blocks }) => ({ blocks: blocks.map((each) => cleaned(each) as typeof each) })),
      }
    case 'BUTTON':
      return { ...block, url: block.url.trim() }
    case 'IMAGE': {
      const trimmed = { ...block, url: block.url.trim(), link: block.link?.trim() ?? '' }
      return trimmed.link === '' ? without(trimmed, 'link') : trimmed
    }
    case 'TEXT':
    case 'DIVIDER':
    case 'SPACER':
    case 'CODE':
      return block
  }
}

const fieldsOf = ({ name, format, subject, previewText, html, text, design, translations }: Template) => ({
  name,
  format,
  subject: subject ?? '',
  previewText: previewText ?? '',
  html: html ?? '',
  text: text ?? '',
  theme: design?.theme ?? {},
  translations,
  blocks: (design?.blocks ?? []).map((block): Kept => keep(block)),
})
type Fields = ReturnType<typeof fieldsOf>

const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

/** What the API is told, but the name. What has no field here stays as it is. */
function contentOf(fields: Fields, { layoutId }: Template): Content {
  const { format, subject, previewText, html, text, theme, blocks, translations } = fields
  const isOfBlocks = format === 'BLOCKS'
  return {
    format,
    subject: orNull(subject),
    previewText: orNull(previewText),
    html: isOfBlocks ? null : orNull(html),
    text: orNull(text),
    ...(isOfBlocks && { design: { theme, blocks: blocks.map(({ block }) => cleaned(block)) } }),
    layoutId: isOfBlocks ? null : layoutId,
    translations,
  }
}

/** A template, and beside it what a contact would get. @param from it, with the ETag that it was read with */
export function TemplateForm({
  from,
  actions,
  children,
}: {
  from: { template: Template; etag: string | null }
  actions: ReactNode
  children: ReactNode
}) {
  const { api } = useWorkspace()
  const may = useMay('editor')
  const readAgain = useReadAgain()
  const dataKeys = useDataKeys()
  // It is read again meanwhile: what is changed is what was there when that began.
  const [{ template, etag }, setRead] = useState(from)
  const [fields, setFields] = useState(() => fieldsOf(template))
  const [saved, setSaved] = useState(() => JSON.stringify([fields.name, contentOf(fields, template)]))
  const set = (some: Partial<Fields>) => setFields((now) => ({ ...now, ...some }))
  const content = contentOf(fields, template)
  const body = { name: fields.name, ...content }
  const now = JSON.stringify([fields.name, content])
  const isDirty = now !== saved
  const save = useMutation({
    mutationFn: async (sent: { body: typeof body; is: string }) => {
      const params = { path: { id: template.id }, header: etag === null ? {} : { 'If-Match': etag } }
      const { data, response } = await api.PUT('/templates/{id}', { params, body: sent.body })
      return { template: data.data, etag: response.headers.get('etag') }
    },
    // What was typed meanwhile is not saved.
    onSuccess: async (read, { is }) => {
      setRead(read)
      setSaved(is)
      await readAgain('templates')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ body, is: now })
  }
  const shared = { keys: dataKeys, readOnly: !may }
  const isOfBlocks = fields.format === 'BLOCKS'
  return (
    <Page
      title={template.name}
      beside={<span className="t3">Version {template.version}</span>}
      actions={actions}
      aside={<TemplatePreview content={content} />}
    >
      {children}
      <form onSubmit={submit} aria-label="Template">
        <Unsaved isDirty={isDirty} isSending={save.isPending} />
        <fieldset className="plainFields formFields">
          <TextInput
            label="Name"
            description="For people here; no recipient sees it."
            value={fields.name}
            readOnly={!may}
            onChange={({ currentTarget: { value } }) => set({ name: value })}
          />
          {template.kind === 'EMAIL' && (
            <>
              <Editor
                {...shared}
                as="line"
                label="Subject"
                value={fields.subject}
                onChange={(subject) => set({ subject })}
              />
              <Editor
                {...shared}
                as="line"
                label="Preview text"
                description="What mailboxes show behind the subject."
                value={fields.previewText}
                onChange={(previewText) => set({ previewText })}
              />
            </>
          )}
          {isOfBlocks ? (
            <>
              <BlockList
                name="the email"
                blocks={fields.blocks}
                dataKeys={dataKeys}
                readOnly={!may}
                onChange={(blocks) => set({ blocks })}
              />
              <Colours theme={fields.theme} readOnly={!may} onChange={(theme) => set({ theme })} />
            </>
          ) : (
            <Editor
              {...shared}
              as="html"
              label={fields.format}
              value={fields.html}
              onChange={(html) => set({ html })}
            />
          )}
          {template.kind === 'EMAIL' && (
            <Editor
              {...shared}
              label="Text"
              description="Made of what is above where it is empty."
              value={fields.text}
              onChange={(text) => set({ text })}
            />
          )}
        </fieldset>
        {save.isError && <Problem error={save.error} />}
        {may && (
          <div className="row" style={{ marginTop: 16, flexWrap: 'wrap' }}>
            <Button type="submit" variant="filled" loading={save.isPending}>
              Save
            </Button>
            {save.isSuccess && !isDirty && (
              <span className="small t2" role="status">
                Saved. What names it from now on has this.
              </span>
            )}
            {isOfBlocks && <AsCode content={content} onDone={(code) => set({ ...code, format: 'MJML', blocks: [] })} />}
            <CurlButton call={{ method: 'PUT', path: `/templates/${template.id}`, body }} />
          </div>
        )}
      </form>
    </Page>
  )
}

const COLOURS = [
  ['accent', 'Buttons and links', '#026b98'],
  ['text', 'Words', '#131b1f'],
  ['surface', 'Behind the words', '#ffffff'],
  ['page', 'Around them', '#f3f6f8'],
] as const

function Colours({ theme, readOnly, onChange }: { theme: Theme; readOnly: boolean; onChange: (theme: Theme) => void }) {
  return (
    <Part title="Colours" beside="On dark screens they are others.">
      <div className={classes.colours}>
        {COLOURS.map(([name, label, usual]) => (
          <Colour
            key={name}
            label={label}
            usual={usual}
            colour={theme[name] ?? ''}
            readOnly={readOnly}
            onChange={(colour) => onChange(colour === '' ? without(theme, name) : { ...theme, [name]: colour })}
          />
        ))}
      </div>
    </Part>
  )
}

/** A colour is one when it is whole: until then it is only typed. */
function Colour({
  label,
  usual,
  colour,
  readOnly,
  onChange,
}: {
  label: string
  usual: string
  colour: string
  readOnly: boolean
  onChange: (colour: string) => void
}) {
  const [typed, setTyped] = useState(colour)
  const isWhole = typed === '' || /^#[0-9a-f]{6}$/i.test(typed)
  return (
    <ColorInput
      label={label}
      placeholder={usual}
      value={typed}
      readOnly={readOnly}
      withEyeDropper={false}
      fixOnBlur={false}
      error={!isWhole && 'Such as #026b98'}
      onChange={(value) => {
        setTyped(value)
        if (value === '' || /^#[0-9a-f]{6}$/i.test(value)) onChange(value)
      }}
    />
  )
}

/** There is no way back from code, but to leave without saving. */
function AsCode({
  content,
  onDone,
}: {
  content: Content
  onDone: (code: { html: string; translations: Template['translations'] }) => void
}) {
  const { api } = useWorkspace()
  const [isAsked, setAsked] = useState(false)
  const mjmlOf = async (design: Content['design']) => {
    const body = { format: 'BLOCKS' as const, ...(design && { design }) }
    return (await api.POST('/templates/preview', { body })).data.data.mjml ?? ''
  }
  // Of what is there when it is pressed, in all its languages.
  const make = useMutation({
    mutationFn: async () => ({
      html: await mjmlOf(content.design),
      translations: await Promise.all(
        (content.translations ?? []).map(async ({ design, ...said }) => ({
          ...NOTHING,
          ...said,
          ...(design && { html: await mjmlOf(design) }),
        })),
      ),
    }),
    onSuccess: onDone,
  })
  return (
    <>
      <Button variant="subtle" color="gray" aria-expanded={isAsked} onClick={() => setAsked(!isAsked)}>
        Go on as code…
      </Button>
      {isAsked && (
        <span className="row" style={{ flexWrap: 'wrap' }}>
          <span className="small t2">
            It is MJML from then on, and no blocks, in all its languages; earlier versions stay as they are.
          </span>
          <Button loading={make.isPending} onClick={() => make.mutate()}>
            Go on as code
          </Button>
          {make.isError && <Problem error={make.error} />}
        </span>
      )}
    </>
  )
}

const NOTHING = { subject: null, previewText: null, html: null, text: null }
