import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { isOutcomeUnknown, hasErrorCode, type Schemas, DisplayableError } from '../../api/client.ts'
import { useMetadataKeys, useTemplates } from '../../api/queries.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { CodeEditor } from '../../components/CodeEditor.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { stableJson } from '../../lib/stable-json.ts'
import { ConflictDialog } from '../../components/ConflictDialog.tsx'
import { Page } from '../../layout/Page.tsx'
import { BlockList } from './BlockList.tsx'
import { Colors } from './Colors.tsx'
import { contentOf, type Fields, fieldsOf, templateKey, contentKeyOf } from './fields.ts'
import { type Content, TemplatePreview } from './TemplatePreview.tsx'

type Template = Schemas['Template']

interface LoadedTemplate {
  template: Template
  etag: string | null
}

const toLoaded = ({ data, response }: { data: { data: Template }; response: Response }): LoadedTemplate => ({
  template: data.data,
  etag: response.headers.get('etag'),
})

/** Edits a template, with a preview. */
export function TemplateForm({
  from,
  actions,
  children,
}: {
  from: LoadedTemplate
  actions: ReactNode
  children: ReactNode
}) {
  const { api } = useWorkspace()
  const canEdit = useHasRole('editor')
  const invalidate = useInvalidate()
  const dataKeys = useMetadataKeys()
  // The template as loaded when the form opened; the page keeps refetching.
  const [{ template, etag }, setLoaded] = useState(from)
  const [fields, setFields] = useState(() => fieldsOf(template))
  const [saved, setSaved] = useState(() => templateKey(template))
  const set = (some: Partial<Fields>) => setFields((now) => ({ ...now, ...some }))
  const content = contentOf(fields)
  const body = { name: fields.name, ...content }
  const latest = useRef(content)
  useEffect(() => void (latest.current = content))
  const now = contentKeyOf(fields.name, content)
  const isDirty = now !== saved
  /** A version that someone else saved in the meantime. */
  const [theirs, setTheirs] = useState<LoadedTemplate>()
  /** Content sent without a response. The server may have stored it. */
  const unanswered = useRef<string>(undefined)
  /** Remounts the fields after their values were replaced. */
  const [remountKey, setRemountKey] = useState(0)
  const save = useMutation({
    mutationFn: async (sent: { body: typeof body; is: string; over: string | null }): Promise<LoadedTemplate> => {
      const path = { id: template.id }
      const put = async (over: string | null) => {
        const header = over === null ? {} : { 'If-Match': over }
        return toLoaded(await api.PUT('/templates/{id}', { params: { path, header }, body: sent.body }))
      }
      setTheirs(undefined)
      try {
        return await put(sent.over)
      } catch (error) {
        if (isOutcomeUnknown(error)) unanswered.current = sent.is
        if (!hasErrorCode(error, 'revision_conflict')) throw error
        const current = toLoaded(await api.GET('/templates/{id}', { params: { path } }))
        // Saved by an earlier request whose response was lost.
        if (templateKey(current.template) === sent.is) return current
        if (templateKey(current.template) === unanswered.current) return put(current.etag)
        setTheirs(current)
        throw error
      }
    },
    // Edits made in the meantime are not saved.
    onSuccess: async (read, { is }) => {
      unanswered.current = undefined
      setLoaded(read)
      setSaved(is)
      await invalidate('templates')
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!focusInvalidField(event.currentTarget)) save.mutate({ body, is: now, over: etag })
  }
  const applyTheirs = (read: LoadedTemplate) => {
    setLoaded(read)
    setFields(fieldsOf(read.template))
    setSaved(templateKey(read.template))
    setTheirs(undefined)
    setRemountKey((times) => times + 1)
    save.reset()
  }
  const form = useRef<HTMLFormElement>(null)
  /** Overwrites the other version, but keeps its values of fields that were not edited here. */
  const saveOver = (read: LoadedTemplate) => {
    if (form.current && focusInvalidField(form.current)) return
    const isUntouched = stableJson(fields.translations) === stableJson(template.translations)
    // Translations of blocks and of code are not interchangeable.
    const isOfKind = (read.template.format === 'BLOCKS') === (fields.format === 'BLOCKS')
    const mine = {
      ...fields,
      ...(isUntouched && isOfKind && { translations: read.template.translations }),
      ...(fields.layoutId === template.layoutId && { layoutId: read.template.layoutId }),
    }
    const said = contentOf(mine)
    setFields(mine)
    setLoaded(read)
    save.mutate({ body: { name: mine.name, ...said }, is: contentKeyOf(mine.name, said), over: read.etag })
  }
  const shared = { keys: dataKeys, readOnly: !canEdit }
  const isVisual = fields.format === 'BLOCKS'
  return (
    <Page
      title={template.name}
      meta={<span className="t3">Version {template.version}</span>}
      actions={actions}
      aside={<TemplatePreview content={content} isPart={template.kind !== 'EMAIL'} />}
    >
      {children}
      <form ref={form} onSubmit={submit} aria-label="Template">
        <UnsavedChangesGuard isDirty={isDirty} isSending={save.isPending} />
        <fieldset className="plainFields formFields">
          {(fields.translations ?? []).length > 0 && (
            <p className="small t2">
              Translations ({fields.translations.map(({ locale }) => locale).join(', ')}) stay unchanged. Edit them
              through the API.
            </p>
          )}
          <TextInput
            label="Name"
            description="Internal name. Recipients won’t see it."
            value={fields.name}
            readOnly={!canEdit}
            onChange={({ currentTarget: { value } }) => set({ name: value })}
          />
          {template.kind === 'EMAIL' && (
            <>
              <CodeEditor
                {...shared}
                as="line"
                label="Subject"
                value={fields.subject}
                onChange={(subject) => set({ subject })}
              />
              <CodeEditor
                {...shared}
                as="line"
                label="Preview text"
                description="Shown after the subject in the inbox."
                value={fields.previewText}
                onChange={(previewText) => set({ previewText })}
              />
              {!isVisual && <LayoutSelect layoutId={fields.layoutId} readOnly={!canEdit} onChange={set} />}
            </>
          )}
          {isVisual ? (
            <>
              <BlockList
                key={`blocks ${remountKey}`}
                name="the email"
                blocks={fields.blocks}
                dataKeys={dataKeys}
                readOnly={!canEdit}
                onChange={(blocks) => set({ blocks })}
              />
              <Colors key={remountKey} theme={fields.theme} readOnly={!canEdit} onChange={(theme) => set({ theme })} />
            </>
          ) : (
            <CodeEditor
              {...shared}
              as="html"
              label={fields.format}
              value={fields.html}
              onChange={(html) => set({ html })}
            />
          )}
          {template.kind === 'EMAIL' && (
            <CodeEditor
              {...shared}
              label="Plain text"
              description="Leave empty to generate it."
              value={fields.text}
              onChange={(text) => set({ text })}
            />
          )}
        </fieldset>
        {theirs && (
          <ConflictDialog
            description={`Version ${theirs.template.version} was saved after you opened this one.`}
            onUseTheirs={() => applyTheirs(theirs)}
            onSaveMine={() => saveOver(theirs)}
          />
        )}
        {save.isError && !theirs && <ErrorBanner error={save.error} scrollsIntoView />}
        {canEdit && (
          <div className="row" style={{ marginTop: 16, flexWrap: 'wrap' }}>
            <Button type="submit" variant="filled" loading={save.isPending}>
              {' '}
              Save template
            </Button>
            {save.isSuccess && !isDirty && (
              <span className="small t2" role="status">
                Saved as version {template.version}.
              </span>
            )}
            {isVisual && (
              <ConvertToCode
                content={content}
                onDone={(code, of) => {
                  // Edits made in the meantime are not included.
                  if (stableJson(of) !== stableJson(latest.current)) return false
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

/** Selects the layout of an email. It must have the same format; the API rejects others. */
function LayoutSelect({
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
    <SearchableSelect
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

/** Converts the blocks to MJML. There is no way back except leaving without saving. */
function ConvertToCode({
  content,
  onDone,
}: {
  content: Content
  /** @returns false if the content changed in the meantime */
  onDone: (code: { html: string; translations: Template['translations'] }, of: Content) => boolean
}) {
  const { api } = useWorkspace()
  const [isAsked, setPending] = useState(false)
  const mjmlOf = async (design: Content['design']) => {
    const body = { format: 'BLOCKS' as const, ...(design && { design }) }
    return (await api.POST('/templates/preview', { body })).data.data.mjml ?? ''
  }
  // Converts the current content in all languages.
  const create = useMutation({
    mutationFn: async () => {
      const code = {
        html: await mjmlOf(content.design),
        translations: await Promise.all(
          (content.translations ?? []).map(async ({ design, ...said }) => ({
            ...EMPTY_TRANSLATION,
            ...said,
            ...(design && { html: await mjmlOf(design) }),
          })),
        ),
      }
      if (!onDone(code, content)) throw new DisplayableError('You made changes during the conversion. Try again.')
    },
  })
  return (
    <>
      <Button variant="subtle" color="gray" aria-expanded={isAsked} onClick={() => setPending(!isAsked)}>
        Convert to code…
      </Button>
      {isAsked && (
        <span className="row" style={{ flexWrap: 'wrap' }}>
          <span className="small t2">
            The template becomes MJML in every language. You can’t switch back, but earlier versions stay unchanged.
          </span>
          <Button loading={create.isPending} onClick={() => create.mutate()}>
            Convert to code
          </Button>
          {create.isError && <ErrorBanner error={create.error} scrollsIntoView />}
        </span>
      )}
    </>
  )
}

const EMPTY_TRANSLATION = { subject: null, previewText: null, html: null, text: null }
