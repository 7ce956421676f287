import { Button, Checkbox, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { isDoubtful, isRefusedFor } from '../../api/client.ts'
import { once } from '../../api/once.ts'
import { useEmailTemplates } from '../../api/reads.ts'
import { useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../parts/CurlButton.tsx'
import { CategorySelect, TemplateSelect } from '../../parts/EmailChoices.tsx'
import { Unsaved } from '../../parts/NotSaved.tsx'
import { isWrong } from '../../parts/is-wrong.ts'
import { Problem } from '../../parts/Problem.tsx'
import { TheirsOrMine } from '../../parts/TheirsOrMine.tsx'
import { useReturnFocus } from '../../parts/use-return-focus.ts'
import { WholeNumber } from '../../parts/WholeNumber.tsx'
import { AbTestFields, wrongVariantOf } from './AbTestFields.tsx'
import { AudienceFields } from './AudienceFields.tsx'
import type { Campaign } from './campaigns.ts'
import { bodyOf, changeOf, type Fields, fieldsOf, saidBy } from './fields.ts'

/** A draft, with the ETag that it was read with. */
interface Read {
  campaign: Campaign
  etag: string | null
}

const told = ({ data, response }: { data: { data: Campaign }; response: Response }): Read => ({
  campaign: data.data,
  etag: response.headers.get('etag'),
})

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
  const [{ campaign, etag }, setRead] = useState<Partial<Read>>(from ?? {})
  const [fields, setFields] = useState(() => fieldsOf(campaign))
  const set = (some: Partial<Fields>) => setFields((now) => ({ ...now, ...some }))
  const body = bodyOf(fields, campaign)
  const isDirty = saidBy(fields, campaign) !== saidBy(fieldsOf(campaign), campaign)
  /** What somebody else has saved meanwhile: whose is meant has to be said. */
  const [theirs, setTheirs] = useState<Read>()
  /** How often another one took the place of all that is here. */
  const [taken, setTaken] = useState(0)
  /** What was sent and has had no answer: it may be what is there. */
  const unanswered = useRef<string>(undefined)
  const change = async (of: Campaign, over: string | null | undefined): Promise<Campaign> => {
    const path = { id: of.id }
    const patch = async ({ campaign: now, etag: was }: Partial<Read> & { campaign: Campaign }) => {
      const params = { path, header: was == null ? {} : { 'If-Match': was } }
      return (await api.PATCH('/campaigns/{id}', { params, body: changeOf(fields, now) })).data.data
    }
    const is = saidBy(fields, of)
    setTheirs(undefined)
    try {
      return await patch({ campaign: of, etag: over ?? null })
    } catch (error) {
      if (isDoubtful(error)) unanswered.current = is
      if (!isRefusedFor(error, 'changed_meanwhile')) throw error
      const there = told(await api.GET('/campaigns/{id}', { params: { path } }))
      const said = saidBy(fieldsOf(there.campaign), there.campaign)
      // It was saved, and the answer was lost.
      if (said === is && unanswered.current === is) return there.campaign
      if (said === unanswered.current) return patch(there)
      setTheirs(there)
      throw error
    }
  }
  const save = useMutation({
    mutationFn: async (over: Partial<Read>) => {
      if (over.campaign) return change(over.campaign, over.etag)
      const asked = [workspace.id, 'campaign', body]
      return (await once(asked, (header) => api.POST('/campaigns', { params: { header }, body }))).data.data
    },
    onSuccess: () => {
      unanswered.current = undefined
      void readAgain('campaigns')
    },
  })
  const form = useRef<HTMLFormElement>(null)
  const saveOver = (read: Partial<Read>) => {
    if (form.current && isWrong(form.current)) return
    save.mutate(read, { onSuccess: ({ id }) => onSaved(id) })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saveOver({ ...(campaign && { campaign }), ...(etag !== undefined && { etag }) })
  }
  const takeTheirs = (read: Read) => {
    setRead(read)
    setFields(fieldsOf(read.campaign))
    setTheirs(undefined)
    setTaken((times) => times + 1)
    save.reset()
  }
  const newest = templates?.find(({ id }) => id === fields.templateId)?.version
  const isOlder =
    campaign !== undefined &&
    campaign.templateId === fields.templateId &&
    newest !== undefined &&
    newest > (campaign.templateVersion ?? newest)
  const call = campaign
    ? ({ method: 'PATCH', path: `/campaigns/${campaign.id}`, body: changeOf(fields, campaign) } as const)
    : ({ method: 'POST', path: '/campaigns', body } as const)
  return (
    <form ref={form} className="card" onSubmit={submit} aria-label={campaign ? 'Campaign' : 'New campaign'}>
      <Unsaved isDirty={isDirty && !save.isSuccess} isSending={save.isPending} />
      {save.isError && !theirs && !wrongVariantOf(save.error) && <Problem error={save.error} isAnswer />}
      {theirs && (
        <TheirsOrMine
          says="It was saved since you have begun to edit it."
          onTheirs={() => takeTheirs(theirs)}
          onMine={() => saveOver(theirs)}
        />
      )}
      <fieldset key={taken} className="plainFields formFields" disabled={save.isPending}>
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
          onChange={(templateId) => set({ templateId, takesNewest: false })}
        />
        {isOlder && (
          <Checkbox
            label={`Take version ${newest} of it, which is newer than the one that this draft has (${campaign.templateVersion})`}
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
        <AbTestFields test={fields.abTest} error={save.error} onChange={(abTest) => set({ abTest })} />
        <WholeNumber
          label="Emails an hour, at most"
          placeholder="As fast as they go"
          min={1}
          max={10_000_000}
          isOptional
          value={fields.throttlePerHour}
          onChange={(throttlePerHour) => set({ throttlePerHour })}
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
