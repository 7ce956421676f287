import { Checkbox, Switch, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useCampaignTemplate, useEmailTemplates } from '../../../api/queries.ts'
import { TemplateSelect } from '../../../components/EmailSelects.tsx'
import { Step } from '../../../primitives/Steps.tsx'
import type { Check } from '../../../primitives/Checklist.tsx'
import { AbTestFields, DEFAULT_TEST, letterOf } from './AbTestFields.tsx'
import type { CampaignDraft } from './use-campaign-draft.ts'

/** Writes the email, or chooses its template. */
export function EmailStep({
  draft,
  state,
  children,
}: {
  draft: CampaignDraft
  state: Check['state']
  /** The preview. */
  children: ReactNode
}) {
  const { form, fields, loaded } = draft
  const { abTest, templateId } = fields
  return (
    <Step title="Email" state={state}>
      <TemplateSelect
        templates={useEmailTemplates()}
        value={templateId}
        onChange={(id) => form.setValues({ templateId: id, takesNewest: false })}
      />
      {templateId !== null && <NewerVersion draft={draft} saved={loaded().campaign} />}
      <Switch
        label="A/B test the subject"
        checked={abTest !== null}
        onChange={({ currentTarget: { checked } }) => form.setFieldValue('abTest', checked ? DEFAULT_TEST : null)}
      />
      {templateId === null && (
        <TextInput
          label={abTest === null ? 'Subject' : `Subject ${letterOf(0)}`}
          placeholder="News for {{ contact.firstName | default: 'you' }}"
          {...form.getInputProps('subject')}
        />
      )}
      {abTest !== null && <AbTestFields draft={draft} test={abTest} />}
      {templateId === null && (
        <>
          <TextInput
            label="Preview text"
            description="Inboxes show it after the subject."
            {...form.getInputProps('previewText')}
          />
          <Textarea
            label="HTML"
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
