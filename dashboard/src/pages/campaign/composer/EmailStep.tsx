import { Button, Checkbox, SegmentedControl, Switch, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil } from '@tabler/icons-react'
import { type ReactNode, Suspense, useState } from 'react'
import { useCampaignTemplate, useEmailTemplates } from '../../../api/queries.ts'
import { SearchableSelect } from '../../../components/SearchableSelect.tsx'
import { lazyPart } from '../../../lib/load-with-retry.ts'
import { Step } from '../../../primitives/Steps.tsx'
import type { Check } from '../../../primitives/Checklist.tsx'
import { hasBody } from './fields.ts'
import { ReplaceEmail, type Source } from './ReplaceEmail.tsx'
import { AbTestFields, DEFAULT_TEST, letterOf } from './AbTestFields.tsx'
import { SenderFacts } from './SenderFacts.tsx'
import type { CampaignDraft } from './use-campaign-draft.ts'
import { VariableInput } from './VariableInput.tsx'

const loadDesigner = async () => (await import('./EmailDesigner.tsx')).EmailDesigner
const EmailDesigner = lazyPart(loadDesigner)

const CampaignStarters = lazyPart(async () => (await import('./CampaignStarters.tsx')).CampaignStarters)

const SOURCES = [
  { value: 'DESIGN', label: 'Design' },
  { value: 'TEMPLATE', label: 'Template' },
  { value: 'CODE', label: 'Code' },
] as const satisfies readonly { value: Source; label: string }[]

/** Designs the email, chooses its template, or takes its code. */
export function EmailStep({
  draft,
  recipients,
  state,
  onTestSent,
  children,
}: {
  draft: CampaignDraft
  recipients: number | undefined
  state: Check['state']
  onTestSent: () => void
  /** The preview. */
  children: ReactNode
}) {
  const { form, fields, loaded } = draft
  const { abTest, templateId } = fields
  const templates = useEmailTemplates()
  const own = fields.format === 'BLOCKS' ? 'DESIGN' : 'CODE'
  const [source, setSource] = useState<Source>(templateId === null ? own : 'TEMPLATE')
  const [isEditing, { open, close }] = useDisclosure()
  /** The kind of content that would replace an email that is written already. */
  const [asked, setAsked] = useState<Source>()
  const take = (to: Source) => {
    setAsked(undefined)
    setSource(to)
    if (to !== 'TEMPLATE') form.setFieldValue('templateId', null)
  }
  const choose = (to: Source) => {
    if (to === source) return setAsked(undefined)
    const isOwn = to === (fields.format === 'BLOCKS' ? 'DESIGN' : 'CODE')
    // Nothing is lost: back to the email that is written here, from a template, or nothing is written.
    if (isOwn || templateId !== null || !hasBody(fields)) {
      if (!isOwn && to !== 'TEMPLATE')
        form.setValues({ format: to === 'DESIGN' ? 'BLOCKS' : 'HTML', html: '', text: '' })
      return take(to)
    }
    setAsked(to)
  }
  return (
    <Step title="Email" state={state}>
      <SenderFacts />
      <SegmentedControl aria-label="Content" data={[...SOURCES]} value={source} onChange={choose} />
      {asked && (
        <ReplaceEmail draft={draft} by={asked} onDone={() => take(asked)} onCancel={() => setAsked(undefined)} />
      )}
      {source === 'TEMPLATE' && (
        <SearchableSelect
          label="Template"
          placeholder="Choose a template"
          data={(templates ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={templateId}
          onChange={(id) => form.setValues({ templateId: id, takesNewest: false })}
        />
      )}
      {templateId !== null && <NewerVersion draft={draft} saved={loaded().campaign} />}
      <Switch
        label="A/B test the subject"
        checked={abTest !== null}
        onChange={({ currentTarget: { checked } }) => form.setFieldValue('abTest', checked ? DEFAULT_TEST : null)}
      />
      {templateId === null && (
        <VariableInput
          label={abTest === null ? 'Subject' : `Subject ${letterOf(0)}`}
          category={fields.category}
          placeholder="News for {{ contact.firstName | default: 'you' }}"
          {...form.getInputProps('subject')}
        />
      )}
      {abTest !== null && <AbTestFields draft={draft} test={abTest} recipients={recipients} />}
      {templateId === null && (
        <VariableInput
          label="Preview text"
          category={fields.category}
          description="Inboxes show it after the subject."
          {...form.getInputProps('previewText')}
        />
      )}
      {source === 'DESIGN' && (
        <Button
          leftSection={<IconPencil aria-hidden />}
          onMouseEnter={() => void loadDesigner()}
          onFocus={() => void loadDesigner()}
          onClick={open}
        >
          Edit email
        </Button>
      )}
      {source === 'DESIGN' && !isEditing && !hasBody(fields) && (
        <Suspense>
          <CampaignStarters draft={draft} />
        </Suspense>
      )}
      {isEditing && (
        <Suspense>
          <EmailDesigner draft={draft} onTestSent={onTestSent} onClose={close} />
        </Suspense>
      )}
      {source === 'CODE' && (
        <>
          <Textarea
            label={fields.format}
            autosize
            minRows={6}
            maxRows={24}
            classNames={{ input: 'mono' }}
            {...form.getInputProps('html')}
          />
          <Textarea
            label="Plain text"
            description="Leave empty to generate it from the HTML."
            autosize
            minRows={2}
            maxRows={12}
            {...form.getInputProps('text')}
          />
        </>
      )}
      {children}
    </Step>
  )
}

/** Offers the newer version of the template. */
function NewerVersion({
  draft: { form, fields },
  saved,
}: {
  draft: CampaignDraft
  saved: { templateId: string | null; templateVersion: number | null }
}) {
  const template = useCampaignTemplate(saved)
  if (!template?.isNewer || saved.templateId !== fields.templateId) return null
  return (
    <Checkbox
      label={`Update to template version ${template.version} (this draft uses ${saved.templateVersion})`}
      checked={fields.takesNewest}
      onChange={({ currentTarget: { checked } }) => form.setFieldValue('takesNewest', checked)}
    />
  )
}
