import { Button, Checkbox, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { isOutcomeUnknown, hasErrorCode } from '../../api/client.ts'
import { callOnce } from '../../api/call-once.ts'
import { useEmailTemplates } from '../../api/queries.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { CategorySelect, TemplateSelect } from '../../components/EmailSelects.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { ConflictDialog } from '../../components/ConflictDialog.tsx'
import { useReturnFocus } from '../../lib/use-return-focus.ts'
import { IntegerInput } from '../../components/IntegerInput.tsx'
import { AbTestFields, variantErrorOf } from './AbTestFields.tsx'
import { AudienceFields } from './AudienceFields.tsx'
import type { Campaign } from './campaigns.ts'
import { bodyOf, patchOf, type Fields, fieldsOf, contentKey } from './fields.ts'

interface LoadedCampaign {
  campaign: Campaign
  etag: string | null
}

const toLoaded = ({ data, response }: { data: { data: Campaign }; response: Response }): LoadedCampaign => ({
  campaign: data.data,
  etag: response.headers.get('etag'),
})

/**
 * Creates or edits a campaign.
 * @param from the draft to edit, as loaded when the form opened; omitted for a new campaign
 */
export function CampaignForm({
  from,
  onSaved,
  onCancel,
}: {
  from?: { campaign: Campaign; etag: string | null }
  onSaved: (id: string) => void
  onCancel: () => void
}) {
  useReturnFocus()
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const templates = useEmailTemplates()
  const [{ campaign, etag }, setLoaded] = useState<Partial<LoadedCampaign>>(from ?? {})
  const [fields, setFields] = useState(() => fieldsOf(campaign))
  const set = (some: Partial<Fields>) => setFields((now) => ({ ...now, ...some }))
  const body = bodyOf(fields, campaign)
  const isDirty = contentKey(fields, campaign) !== contentKey(fieldsOf(campaign), campaign)
  /** A version that someone else saved in the meantime. */
  const [theirs, setTheirs] = useState<LoadedCampaign>()
  /** Remounts the fields after their values were replaced. */
  const [remountKey, setRemountKey] = useState(0)
  /** Content sent without a response. The server may have stored it. */
  const unanswered = useRef<string>(undefined)
  const change = async (of: Campaign, over: string | null | undefined): Promise<Campaign> => {
    const path = { id: of.id }
    const patch = async ({ campaign: now, etag: was }: Partial<LoadedCampaign> & { campaign: Campaign }) => {
      const params = { path, header: was == null ? {} : { 'If-Match': was } }
      return (await api.PATCH('/campaigns/{id}', { params, body: patchOf(fields, now) })).data.data
    }
    const sentContent = contentKey(fields, of)
    setTheirs(undefined)
    try {
      return await patch({ campaign: of, etag: over ?? null })
    } catch (error) {
      if (isOutcomeUnknown(error)) unanswered.current = sentContent
      if (!hasErrorCode(error, 'revision_conflict')) throw error
      const current = toLoaded(await api.GET('/campaigns/{id}', { params: { path } }))
      const stored = contentKey(fieldsOf(current.campaign), current.campaign)
      // Saved by an earlier request whose response was lost.
      if (stored === sentContent && unanswered.current === sentContent) return current.campaign
      if (stored === unanswered.current) return patch(current)
      setTheirs(current)
      throw error
    }
  }
  const save = useMutation({
    mutationFn: async (over: Partial<LoadedCampaign>) => {
      if (over.campaign) return change(over.campaign, over.etag)
      const asked = [workspace.id, 'campaign', body]
      return (await callOnce(asked, (header) => api.POST('/campaigns', { params: { header }, body }))).data.data
    },
    onSuccess: () => {
      unanswered.current = undefined
      void invalidate('campaigns')
    },
  })
  const form = useRef<HTMLFormElement>(null)
  const saveOver = (read: Partial<LoadedCampaign>) => {
    if (form.current && focusInvalidField(form.current)) return
    save.mutate(read, { onSuccess: ({ id }) => onSaved(id) })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saveOver({ ...(campaign && { campaign }), ...(etag !== undefined && { etag }) })
  }
  const applyTheirs = (read: LoadedCampaign) => {
    setLoaded(read)
    setFields(fieldsOf(read.campaign))
    setTheirs(undefined)
    setRemountKey((times) => times + 1)
    save.reset()
  }
  const newest = templates?.find(({ id }) => id === fields.templateId)?.version
  const isOlder =
    campaign !== undefined &&
    campaign.templateId === fields.templateId &&
    newest !== undefined &&
    newest > (campaign.templateVersion ?? newest)
  const call = campaign
    ? ({ method: 'PATCH', path: `/campaigns/${campaign.id}`, body: patchOf(fields, campaign) } as const)
    : ({ method: 'POST', path: '/campaigns', body } as const)
  return (
    <form
      ref={form}
      className="card"
      onSubmit={submit}
      onChange={() => save.isError && save.reset()}
      aria-label={campaign ? 'Campaign' : 'New campaign'}
    >
      <UnsavedChangesGuard isDirty={isDirty && !save.isSuccess} isSending={save.isPending} />
      {save.isError && !theirs && !variantErrorOf(save.error) && <ErrorBanner error={save.error} scrollsIntoView />}
      {theirs && (
        <ConflictDialog
          description="It was saved after you started editing."
          onUseTheirs={() => applyTheirs(theirs)}
          onSaveMine={() => saveOver(theirs)}
        />
      )}
      <fieldset key={remountKey} className="plainFields formFields" disabled={save.isPending}>
        <TextInput
          label="Name"
          description="Internal name. Recipients won’t see it."
          value={fields.name}
          onChange={({ currentTarget: { value } }) => set({ name: value })}
          autoFocus
        />
        <AudienceFields
          audience={fields.audience}
          category={fields.category}
          onChange={(audience) => set({ audience })}
        />
        <CategorySelect value={fields.category} onChange={(category) => set({ category })} />
        <TemplateSelect
          templates={templates}
          value={fields.templateId}
          onChange={(templateId) => set({ templateId, takesNewest: false })}
        />
        {isOlder && (
          <Checkbox
            label={`Update to template version ${newest} (this draft uses ${campaign.templateVersion})`}
            checked={fields.takesNewest}
            onChange={({ currentTarget: { checked } }) => set({ takesNewest: checked })}
          />
        )}
        {fields.templateId === null && (
          <>
            <TextInput
              label="Subject"
              placeholder="News for {{ contact.firstName | default: 'you' }}"
              value={fields.subject}
              onChange={({ currentTarget: { value } }) => set({ subject: value })}
            />
            <Textarea
              label="HTML"
              autosize
              minRows={4}
              maxRows={16}
              classNames={{ input: 'mono' }}
              value={fields.html}
              onChange={({ currentTarget: { value } }) => set({ html: value })}
            />
            <Textarea
              label="Plain text"
              description="Leave empty to generate it from the HTML."
              autosize
              minRows={2}
              maxRows={12}
              value={fields.text}
              onChange={({ currentTarget: { value } }) => set({ text: value })}
            />
          </>
        )}
        <AbTestFields test={fields.abTest} error={save.error} onChange={(abTest) => set({ abTest })} />
        <IntegerInput
          label="Send speed limit (per hour)"
          placeholder="No limit"
          min={1}
          max={10_000_000}
          isOptional
          value={fields.throttlePerHour}
          onChange={(throttlePerHour) => set({ throttlePerHour })}
        />
      </fieldset>
      <div className="row">
        <Button type="submit" variant="filled" loading={save.isPending}>
          Save draft
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={save.isPending}>
          Cancel
        </Button>
        <CurlButton call={call} />
      </div>
    </form>
  )
}
