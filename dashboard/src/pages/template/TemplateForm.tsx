import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { isRefusedFor, type Schemas } from '../../api/client.ts'
import { useDataKeys } from '../../api/reads.ts'
import { useMay, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../parts/CurlButton.tsx'
import { Editor } from '../../parts/Editor.tsx'
import { Unsaved } from '../../parts/NotSaved.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Problem } from '../../parts/Problem.tsx'
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
  const content = contentOf(fields, template)
  const body = { name: fields.name, ...content }
  const now = saidOf(fields.name, content)
  const isDirty = now !== saved
  /** What somebody else has saved meanwhile: whose is meant has to be said. */
  const [theirs, setTheirs] = useState<Read>()
  /** How often another one took the place of all that is here. */
  const [taken, setTaken] = useState(0)
  const save = useMutation({
    mutationFn: async (sent: { body: typeof body; is: string; over: string | null }): Promise<Read> => {
      const path = { id: template.id }
      setTheirs(undefined)
      try {
        const header = sent.over === null ? {} : { 'If-Match': sent.over }
        return told(await api.PUT('/templates/{id}', { params: { path, header }, body: sent.body }))
      } catch (error) {
        if (!isRefusedFor(error, 'changed_meanwhile')) throw error
        const there = told(await api.GET('/templates/{id}', { params: { path } }))
        // It was saved, and the answer was lost.
        if (saidBy(there.template) === sent.is) return there
        setTheirs(there)
        throw error
      }
    },
    // What was typed meanwhile is not saved.
    onSuccess: async (read, { is }) => {
      setRead(read)
      setSaved(is)
      await readAgain('templates')
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // What is shown in red is not what would be saved.
    const wrong = event.currentTarget.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (wrong) return wrong.focus()
    save.mutate({ body, is: now, over: etag })
  }
  const takeTheirs = (read: Read) => {
    setRead(read)
    setFields(fieldsOf(read.template))
    setSaved(saidBy(read.template))
    setTheirs(undefined)
    setTaken((times) => times + 1)
    save.reset()
  }
  /** What has no field here is theirs. */
  const saveOver = (read: Read) => {
    const isUntouched = fields.translations === template.translations
    const mine = isUntouched ? { ...fields, translations: read.template.translations } : fields
    const said = contentOf(mine, read.template)
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
          <Notice title="Somebody else has changed it">
            <p className="t2">
              Version {theirs.template.version} was saved since you have opened this one. What you have typed is in this
              page only.
            </p>
            <div className="row">
              <Button onClick={() => takeTheirs(theirs)}>Take theirs</Button>
              <Button variant="filled" onClick={() => saveOver(theirs)}>
                Save mine
              </Button>
            </div>
          </Notice>
        )}
        {save.isError && !theirs && <Problem error={save.error} />}
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
