import { useMutation } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { hasErrorCode, isOutcomeUnknown, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { type EmailDesign, fromDesign } from '../../editor/content.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { type Undoable, useHistory } from '../../primitives/use-history.ts'
import { contentKeyOf, contentOf, type Fields, fieldsOf, templateKey } from './fields.ts'
import { useKeptEdits } from './use-kept-edits.ts'

export type Template = Schemas['Template']

export interface LoadedTemplate {
  template: Template
  etag: string | null
}

export const toLoaded = ({ data, response }: { data: { data: Template }; response: Response }): LoadedTemplate => ({
  template: data.data,
  etag: response.headers.get('etag'),
})

/** The edited values, with one history. */
interface Edited {
  fields: Fields
  design: EmailDesign
}

const editedOf = (template: Template): Edited => ({ fields: fieldsOf(template), design: fromDesign(template.design) })

export type TemplateDraft = ReturnType<typeof useTemplateDraft>

/** A template as it is being edited, and how it is saved. */
export function useTemplateDraft(from: LoadedTemplate, canEdit: boolean) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  // The template as loaded when the form opened; the page keeps refetching.
  const [loaded, setLoaded] = useState(from)
  const { template, etag } = loaded
  const history = useHistory<Edited>(() => editedOf(template))
  const { fields } = history.value
  const setFields = (by: (before: Fields) => Fields, about?: string) =>
    history.change((now) => ({ ...now, fields: by(now.fields) }), about)
  const design: Undoable<EmailDesign> = {
    undo: history.undo,
    redo: history.redo,
    value: history.value.design,
    change: (by, about) =>
      history.change((now) => {
        const changed = by(now.design)
        return changed === now.design ? now : { ...now, design: changed }
      }, about),
  }
  const [saved, setSaved] = useState(() => templateKey(template))
  /** A version that someone else saved in the meantime. */
  const [theirs, setTheirs] = useState<LoadedTemplate>()
  /** Content sent without a response. The server may have stored it. */
  const unanswered = useRef<string>(undefined)
  const content = contentOf(fields, design.value)
  const now = contentKeyOf(fields.name, content)
  const isDirty = now !== saved
  const unsaved = useMemo(
    () => (isDirty ? { from: loaded, edited: history.value } : undefined),
    [isDirty, loaded, history.value],
  )
  const account = useSession().data?.account.email
  // The number changes with the format of the edits.
  const keptKey = canEdit && account !== undefined ? `template edits 1 ${account} ${template.id}` : undefined
  const { kept, take, discard } = useKeptEdits(keptKey, unsaved)
  const request = useMutation({
    mutationFn: async (sent: { body: object; is: string; over: string | null }): Promise<LoadedTemplate> => {
      const path = { id: template.id }
      const put = async (over: string | null) => {
        const header = over === null ? {} : { 'If-Match': over }
        const body = sent.body as Schemas['TemplateContent']
        return toLoaded(await api.PUT('/templates/{id}', { params: { path, header }, body }))
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
  /** Puts a version into the form, without saving it, as one step. */
  const show = (version: Template) => history.change(() => editedOf(version))
  return {
    template,
    fields,
    set: (some: Partial<Fields>) =>
      setFields((before) => ({ ...before, ...some }), `field ${Object.keys(some).join()}`),
    design,
    content,
    isDirty,
    request,
    theirs,
    save: () => request.mutate({ body: { name: fields.name, ...content }, is: now, over: etag }),
    show,
    /** Replaces the blocks by code. */
    toCode: (code: Pick<Fields, 'html' | 'translations'>) =>
      history.change(({ fields: before }) => ({
        fields: { ...before, ...code, format: 'MJML' },
        design: { nodes: [], theme: {} },
      })),
    /** Drops the edits that are kept in the browser. */
    discardKept: discard,
    /** Edits that an earlier visit left unsaved. */
    kept: kept && {
      at: kept.at,
      // Based on what was loaded at that time, so that later versions are not overwritten.
      restore: () => {
        take()
        setLoaded(kept.edits.from)
        setSaved(templateKey(kept.edits.from.template))
        history.change(() => kept.edits.edited)
      },
    },
    applyTheirs(read: LoadedTemplate) {
      setLoaded(read)
      history.reset(editedOf(read.template))
      setSaved(templateKey(read.template))
      setTheirs(undefined)
      request.reset()
    },
    /** Overwrites the other version, but keeps its values of fields that were not edited here. */
    saveOver(read: LoadedTemplate) {
      const isUntouched = stableJson(fields.translations) === stableJson(template.translations)
      // Translations of blocks and of code are not interchangeable.
      const isOfKind = (read.template.format === 'BLOCKS') === (fields.format === 'BLOCKS')
      const mine = {
        ...fields,
        ...(isUntouched && isOfKind && { translations: read.template.translations }),
        ...(fields.layoutId === template.layoutId && { layoutId: read.template.layoutId }),
      }
      const said = contentOf(mine, design.value)
      setFields(() => mine)
      setLoaded(read)
      request.mutate({ body: { name: mine.name, ...said }, is: contentKeyOf(mine.name, said), over: read.etag })
    },
  }
}
