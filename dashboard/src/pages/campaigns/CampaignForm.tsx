import { Button, NumberInput, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { once } from '../../api/once.ts'
import { useEmailTemplates } from '../../api/reads.ts'
import { useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../parts/CurlButton.tsx'
import { CategorySelect, TemplateSelect } from '../../parts/EmailChoices.tsx'
import { Unsaved } from '../../parts/NotSaved.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { useReturnFocus } from '../../parts/use-return-focus.ts'
import { type AbTest, AbTestFields } from './AbTestFields.tsx'
import { AudienceFields } from './AudienceFields.tsx'
import type { Campaign } from './campaigns.ts'

/** As it was given: its own subject is no variant of it. */
function testOf(campaign: Campaign | undefined): AbTest | null {
  if (!campaign?.abTest) return null
  const { variants, testPercent, winnerBy, afterMinutes } = campaign.abTest
  const given = variants.slice(1).map(({ subject, templateId }) => (templateId === null ? { subject } : { templateId }))
  return { variants: given, testPercent, winnerBy, afterMinutes }
}

const fieldsOf = (campaign: Campaign | undefined) => ({
  name: campaign?.name ?? '',
  category: campaign?.category ?? ('marketing' as const),
  templateId: campaign?.templateId ?? null,
  subject: campaign?.templateId == null ? (campaign?.subject ?? '') : '',
  html: campaign?.html ?? '',
  text: campaign?.text ?? '',
  audience: campaign?.audience ?? { listIds: [], segmentIds: [], exclude: { listIds: [], segmentIds: [] } },
  throttlePerHour: campaign?.throttlePerHour ?? null,
  abTest: testOf(campaign),
})

type Fields = ReturnType<typeof fieldsOf>

const orNull = (text: string) => (text === '' ? null : text)

/** What the API is told of it: of a template, or what it says itself. */
function bodyOf({ templateId, subject, html, text, ...rest }: Fields, campaign: Campaign | undefined) {
  const own = {
    subject: orNull(subject),
    html: orNull(html),
    text: orNull(text),
    ...(campaign?.format != null && { format: campaign.format as 'HTML' | 'MJML' }),
    ...(campaign !== undefined && { previewText: campaign.previewText }),
  }
  return { ...rest, templateId, ...(templateId === null && own) }
}

const sameTest = (a: AbTest | null, b: AbTest | null) => JSON.stringify(a) === JSON.stringify(b)

/**
 * What a campaign says, to whom, and how fast.
 * @param from a draft that is changed, with the ETag that it was read with; none: a new one. It is read again and again meanwhile: what
 * is changed is what was there when that began
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
  const readAgain = useReadAgain()
  const templates = useEmailTemplates()
  const [{ campaign, etag }] = useState(from ?? { campaign: undefined, etag: null })
  const [before] = useState(() => fieldsOf(campaign))
  const [fields, setFields] = useState(before)
  const set = (some: Partial<Fields>) => setFields((now) => ({ ...now, ...some }))
  const body = bodyOf(fields, campaign)
  // A template that is named is taken as it is now: whoever changes something else has not asked for that.
  const { templateId, abTest, ...rest } = body
  const isSame = templateId === campaign?.templateId && sameTest(abTest, before.abTest)
  const change = templateId !== null && isSame ? rest : body
  const isDirty = JSON.stringify(fields) !== JSON.stringify(before)
  const save = useMutation({
    mutationFn: async () => {
      if (!campaign) {
        const asked = [workspace.id, 'campaign', body]
        return (await once(asked, (header) => api.POST('/campaigns', { params: { header }, body }))).data.data
      }
      const params = { path: { id: campaign.id }, header: etag == null ? {} : { 'If-Match': etag } }
      return (await api.PATCH('/campaigns/{id}', { params, body: change })).data.data
    },
    onSuccess: () => void readAgain('campaigns'),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(undefined, { onSuccess: ({ id }) => onSaved(id) })
  }
  const call = campaign
    ? ({ method: 'PATCH', path: `/campaigns/${campaign.id}`, body: change } as const)
    : ({ method: 'POST', path: '/campaigns', body } as const)
  return (
    <form className="card" onSubmit={submit} aria-label={campaign ? 'Campaign' : 'New campaign'}>
      <Unsaved isDirty={isDirty && !save.isSuccess} isSending={save.isPending} />
      {save.isError && <Problem error={save.error} />}
      <fieldset className="plainFields formFields" disabled={save.isPending}>
        <TextInput
          label="Name"
          description="For people here; no recipient sees it."
          value={fields.name}
          onChange={({ currentTarget: { value } }) => set({ name: value })}
          autoFocus
        />
        <AudienceFields audience={fields.audience} onChange={(audience) => set({ audience })} />
        <CategorySelect value={fields.category} onChange={(category) => set({ category })} />
        <TemplateSelect
          templates={templates}
          value={fields.templateId}
          onChange={(templateId) => set({ templateId })}
        />
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
              label="Text"
              description="Made of the HTML where it is empty."
              autosize
              minRows={2}
              maxRows={12}
              value={fields.text}
              onChange={({ currentTarget: { value } }) => set({ text: value })}
            />
          </>
        )}
        <AbTestFields test={fields.abTest} onChange={(abTest) => set({ abTest })} />
        <NumberInput
          label="Emails an hour, at most"
          placeholder="As fast as they go"
          min={1}
          allowDecimal={false}
          value={fields.throttlePerHour ?? ''}
          onChange={(value) => set({ throttlePerHour: typeof value === 'number' ? value : null })}
        />
      </fieldset>
      <div className="row">
        <Button type="submit" variant="filled" loading={save.isPending}>
          {campaign ? 'Save the draft' : 'Make the draft'}
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={save.isPending}>
          Cancel
        </Button>
        <CurlButton call={call} />
      </div>
    </form>
  )
}
