import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { isDoubtful, isRefusedFor, type Schemas, Told } from '../../api/client.ts'
import { useDataKeys, useTemplates } from '../../api/reads.ts'
import { useMay, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../parts/CurlButton.tsx'
import { Editor } from '../../parts/Editor.tsx'
import { isWrong } from '../../parts/is-wrong.ts'
import { Unsaved } from '../../parts/NotSaved.tsx'
import { One } from '../../parts/One.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { sameText } from '../../parts/same-text.ts'
import { TheirsOrMine } from '../../parts/TheirsOrMine.tsx'
import { Page } from '../../shell/Page.tsx'
import { BlockList } from './BlockList.tsx'
import { Colours } from './Colours.tsx'
import { contentOf, type Fields, fieldsOf, saidBy, saidOf } from './fields.ts'
import { type Content, TemplatePreview } from './TemplatePreview.tsx'

type Template = Schemas['Template']

/** A template, with the ETag that it was read with. */
interface Read {
  template: Template
  etag: string | null
}

const told = ({ data, response }: { data: { data: Template }; response: Response }): Read => ({
  template: data.data,
  etag: response.headers.get('etag'),
})

/** A template, and beside it what a contact would get. */
export function TemplateForm({ from, actions, children }: { from: Read; actions: ReactNode; children: ReactNode }) {
  const { api } = useWorkspace()
  const may = useMay('editor')
  const readAgain = useReadAgain()
  const dataKeys = useDataKeys()
  // It is read again meanwhile: what is changed is what was there when that began.
  const [{ template, etag }, setRead] = useState(from)
  const [fields, setFields] = useState(() => fieldsOf(template))
  const [saved, setSaved] = useState(() => saidBy(template))
  const set = (some: Partial<Fields>) => setFields((now) => ({ ...now, ...some }))
  const content = contentOf(fields)
  const body = { name: fields.name, ...content }
  const latest = useRef(content)
  useEffect(() => void (latest.current = content))
  const now = saidOf(fields.name, content)
  const isDirty = now !== saved
  /** What somebody else has saved meanwhile: whose is meant has to be said. */
  const [theirs, setTheirs] = useState<Read>()
  /** What was sent and has had no answer: it may be what is there. */
  const unanswered = useRef<string>(undefined)
  /** How often another one took the place of all that is here. */
  const [taken, setTaken] = useState(0)
  const save = useMutation({
    mutationFn: async (sent: { body: typeof body; is: string; over: string | null }): Promise<Read> => {
      const path = { id: template.id }
      const put = async (over: string | null) => {
        const header = over === null ? {} : { 'If-Match': over }
        return told(await api.PUT('/templates/{id}', { params: { path, header }, body: sent.body }))
      }
      setTheirs(undefined)
      try {
        return await put(sent.over)
      } catch (error) {
        if (isDoubtful(error)) unanswered.current = sent.is
        if (!isRefusedFor(error, 'changed_meanwhile')) throw error
        const there = told(await api.GET('/templates/{id}', { params: { path } }))
        // It was saved, and the answer was lost.
        if (saidBy(there.template) === sent.is) return there
        if (saidBy(there.template) === unanswered.current) return put(there.etag)
        setTheirs(there)
        throw error
      }
    },
    // What was typed meanwhile is not saved.
    onSuccess: async (read, { is }) => {
      unanswered.current = undefined
      setRead(read)
      setSaved(is)
      await readAgain('templates')
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isWrong(event.currentTarget)) save.mutate({ body, is: now, over: etag })
  }
  const takeTheirs = (read: Read) => {
    setRead(read)
    setFields(fieldsOf(read.template))
    setSaved(saidBy(read.template))
    setTheirs(undefined)
    setTaken((times) => times + 1)
    save.reset()
  }
  const form = useRef<HTMLFormElement>(null)
  /** What has no field here, or was not touched in it, is theirs. */
  const saveOver = (read: Read) => {
    if (form.current && isWrong(form.current)) return
    const isUntouched = sameText(fields.translations) === sameText(template.translations)
    // Those of blocks and those of code are no other's.
    const isOfKind = (read.template.format === 'BLOCKS') === (fields.format === 'BLOCKS')
    const mine = {
      ...fields,
      ...(isUntouched && isOfKind && { translations: read.template.translations }),
      ...(fields.layoutId === template.layoutId && { layoutId: read.template.layoutId }),
    }
    const said = contentOf(mine)
    setFields(mine)
    setRead(read)
    save.mutate({ body: { name: mine.name, ...said }, is: saidOf(mine.name, said), over: read.etag })
  }
  const shared = { keys: dataKeys, readOnly: !may }
  const isOfBlocks = fields.format === 'BLOCKS'
  return (
    <Page
      title={template.name}
      beside={<span className="t3">Version {template.version}</span>}
      actions={actions}
      aside={<TemplatePreview content={content} isPart={template.kind !== 'EMAIL'} />}
    >
      {children}
      <form ref={form} onSubmit={submit} aria-label="Template">
        <Unsaved isDirty={isDirty} isSending={save.isPending} />
        <fieldset className="plainFields formFields">
          {(fields.translations ?? []).length > 0 && (
            <p className="small t2">
              It is translated: what it says in {fields.translations.map(({ locale }) => locale).join(', ')} stays as it
              is, and is changed by the API.
            </p>
          )}
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
              {!isOfBlocks && <Layout layoutId={fields.layoutId} readOnly={!may} onChange={set} />}
            </>
          )}
          {isOfBlocks ? (
            <>
              <BlockList
                key={`blocks ${taken}`}
                name="the email"
                blocks={fields.blocks}
                dataKeys={dataKeys}
                readOnly={!may}
                onChange={(blocks) => set({ blocks })}
              />
              <Colours key={taken} theme={fields.theme} readOnly={!may} onChange={(theme) => set({ theme })} />
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
        {theirs && (
          <TheirsOrMine
            says={`Version ${theirs.template.version} was saved since you have opened this one.`}
            onTheirs={() => takeTheirs(theirs)}
            onMine={() => saveOver(theirs)}
          />
        )}
        {save.isError && !theirs && <Problem error={save.error} isAnswer />}
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
            {isOfBlocks && (
              <AsCode
                content={content}
                onDone={(code, of) => {
                  // What was typed meanwhile is not in it.
                  if (sameText(of) !== sameText(latest.current)) return false
                  set({ ...code, format: 'MJML', blocks: [] })
                  return true
                }}
              />
            )}
            <CurlButton call={{ method: 'PUT', path: `/templates/${template.id}`, body }} />
          </div>
        )}
      </form>
    </Page>
  )
}

/** The layout that an email is in: it has to be of the same format, which is said where it is not. */
function Layout({
  layoutId,
  readOnly,
  onChange,
}: {
  layoutId: string | null
  readOnly: boolean
  onChange: (some: { layoutId: string | null }) => void
}) {
  const layouts = useTemplates('LAYOUT')
  if (layouts === undefined || (layouts.length === 0 && layoutId === null)) return null
  return (
    <One
      label="Layout"
      placeholder="None"
      data={layouts.map(({ id, name }) => ({ value: id, label: name }))}
      value={layoutId}
      clearable
      disabled={readOnly}
      onChange={(chosen) => onChange({ layoutId: chosen })}
    />
  )
}

/** There is no way back from code, but to leave without saving. */
function AsCode({
  content,
  onDone,
}: {
  content: Content
  /** @returns whether it is taken: what it is of may have changed meanwhile */
  onDone: (code: { html: string; translations: Template['translations'] }, of: Content) => boolean
}) {
  const { api } = useWorkspace()
  const [isAsked, setAsked] = useState(false)
  const mjmlOf = async (design: Content['design']) => {
    const body = { format: 'BLOCKS' as const, ...(design && { design }) }
    return (await api.POST('/templates/preview', { body })).data.data.mjml ?? ''
  }
  // Of what is there when it is pressed, in all its languages.
  const make = useMutation({
    mutationFn: async () => {
      const code = {
        html: await mjmlOf(content.design),
        translations: await Promise.all(
          (content.translations ?? []).map(async ({ design, ...said }) => ({
            ...NOTHING,
            ...said,
            ...(design && { html: await mjmlOf(design) }),
          })),
        ),
      }
      if (!onDone(code, content)) throw new Told('Something was typed while it was made. Press again for all of it.')
    },
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
          {make.isError && <Problem error={make.error} isAnswer />}
        </span>
      )}
    </>
  )
}

const NOTHING = { subject: null, previewText: null, html: null, text: null }
