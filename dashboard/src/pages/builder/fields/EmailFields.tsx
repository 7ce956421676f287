import { Button } from '@mantine/core'
import { useState } from 'react'
import { useEmailTemplates, useMetadataKeys } from '../../../api/queries.ts'
import { CodeEditor } from '../../../components/CodeEditor.tsx'
import { CategorySelect, TemplateSelect } from '../../../components/EmailSelects.tsx'
import classes from '../Builder.module.css'
import { StepPreview } from '../StepPreview.tsx'
import type { EmailStep } from '../steps.ts'
import type { Edit, FieldsProps } from './StepFields.tsx'

/** Edits an email: its type, template or content. */
export function EmailFields({ step, edit, canEdit }: FieldsProps<EmailStep>) {
  const keys = useMetadataKeys()
  const [wasEmpty] = useState(step.subject === '')
  const shared = { keys, readOnly: !canEdit }
  return (
    <div className={classes.fields}>
      <CategorySelect value={step.category} onChange={(category) => edit({ category })} />
      <TemplateChoice step={step} edit={edit} />
      {step.templateId === null && <ContentFields step={step} edit={edit} shared={shared} wasEmpty={wasEmpty} />}
    </div>
  )
}

/** Selects a template, or content of the step itself. */
function TemplateChoice({ step, edit }: { step: EmailStep; edit: Edit }) {
  const templates = useEmailTemplates()
  if (step.templateId === null && (templates ?? []).length === 0) return null
  const chosen = templates?.find(({ id }) => id === step.templateId)
  const isOlder = chosen !== undefined && step.templateVersion !== null && step.templateVersion < chosen.version
  return (
    <>
      <TemplateSelect
        templates={templates}
        value={step.templateId}
        onChange={(value) => {
          const template = templates?.find(({ id }) => id === value)
          edit(
            template
              ? { templateId: template.id, templateVersion: null, subject: template.subject ?? '' }
              : { templateId: null, templateVersion: null },
          )
        }}
      />
      {step.templateId !== null && (
        <p className="small t3">
          {step.templateVersion === null
            ? 'Uses the template as it is when you publish.'
            : `Uses template version ${step.templateVersion}.`}{' '}
          {isOlder && (
            <Button variant="subtle" size="compact-sm" onClick={() => edit({ templateVersion: null })}>
              Update to version {chosen.version}
            </Button>
          )}
        </p>
      )}
    </>
  )
}

function ContentFields({
  step,
  edit,
  shared,
  wasEmpty,
}: {
  step: EmailStep
  edit: Edit
  shared: { keys: readonly string[]; readOnly: boolean }
  wasEmpty: boolean
}) {
  return (
    <>
      <CodeEditor
        {...shared}
        as="line"
        label="Subject"
        autoFocus={wasEmpty}
        placeholder={'Welcome, {{ contact.firstName | default: "friend" }}!'}
        value={step.subject}
        onChange={(subject) => edit({ subject })}
      />
      <CodeEditor
        {...shared}
        label="Plain text"
        description="For email clients that don’t show HTML."
        value={step.text ?? ''}
        onChange={(text) => edit({ text: text === '' ? null : text })}
      />
      <CodeEditor
        {...shared}
        as="html"
        label="HTML"
        value={step.html ?? ''}
        onChange={(html) => edit({ html: html === '' ? null : html })}
      />
      <StepPreview step={step} />
    </>
  )
}
