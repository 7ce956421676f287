import { Button, SegmentedControl } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useEmailTemplates, useMetadataKeys } from '../../../api/queries.ts'
import { useWorkspace } from '../../../api/workspace.tsx'
import { CodeEditor } from '../../../components/CodeEditor.tsx'
import { EmailPreview } from '../../../components/EmailPreview.tsx'
import { CategorySelect, TemplateSelect } from '../../../components/EmailSelects.tsx'
import { designOfText } from '../../../editor/design-of-text.ts'
import type { Design } from '../../../editor/blocks.ts'
import classes from '../Builder.module.css'
import { StepPreview } from '../StepPreview.tsx'
import type { EmailStep } from '../steps.ts'
import { useFieldsContext } from './fields-context.ts'
import type { Edit, FieldsProps } from './StepFields.tsx'

const KINDS = [
  { value: 'DESIGN', label: 'Design' },
  { value: 'TEMPLATE', label: 'Template' },
  { value: 'CODE', label: 'Code' },
] as const
type Kind = (typeof KINDS)[number]['value']

/** Edits an email: its type, and its design, template or code. */
export function EmailFields({ step, edit, canEdit }: FieldsProps<EmailStep>) {
  const own = step.design ? 'DESIGN' : 'CODE'
  // What is shown follows the step, also after undo. Only a template is picked before there is one.
  const [picksTemplate, setPicksTemplate] = useState(false)
  const [isAsking, { open, close }] = useDisclosure()
  const kind: Kind = step.templateId !== null || picksTemplate ? 'TEMPLATE' : own
  const choose = (to: Kind) => {
    close()
    if (to === 'TEMPLATE') return setPicksTemplate(true)
    if (to === 'CODE' && step.design && step.design.blocks.length > 0) return open()
    setPicksTemplate(false)
    edit({ templateId: null, templateVersion: null, ...(to !== own && contentAs(to, step)) })
  }
  const replace = () => {
    close()
    setPicksTemplate(false)
    edit({ templateId: null, templateVersion: null, ...contentAs('CODE', step) })
  }
  return (
    <div className={classes.fields}>
      <CategorySelect value={step.category} onChange={(category) => edit({ category })} />
      <SegmentedControl fullWidth aria-label="Content" data={[...KINDS]} value={kind} onChange={choose} />
      {isAsking && (
        <div className="card still" role="group" aria-label="Replace the design">
          <p>Code starts empty, and the design is removed from this email. Undo brings it back.</p>
          <div className="row">
            <Button variant="filled" onClick={replace}>
              Replace the design
            </Button>
            <Button variant="subtle" color="gray" onClick={close}>
              Keep the design
            </Button>
          </div>
        </div>
      )}
      {kind === 'TEMPLATE' && <TemplateChoice step={step} edit={edit} />}
      {kind !== 'TEMPLATE' && <SubjectField step={step} edit={edit} canEdit={canEdit} />}
      {kind === 'DESIGN' && step.design && <DesignFields step={step} design={step.design} />}
      {kind === 'CODE' && <CodeFields step={step} edit={edit} canEdit={canEdit} />}
    </div>
  )
}

/** Converts the content of a step. Text becomes blocks, HTML one block of HTML; a design has no code. */
function contentAs(kind: 'DESIGN' | 'CODE', { html, text }: EmailStep) {
  if (kind === 'CODE') return { design: undefined, html: null, text: '', previewText: null }
  const design: Design = html ? { blocks: [{ type: 'CODE', html }] } : designOfText(text ?? '')
  return { design, html: null, text: null }
}

/** Selects a template. */
function TemplateChoice({ step, edit }: { step: EmailStep; edit: Edit }) {
  const templates = useEmailTemplates()
  const { workspace } = useWorkspace()
  const chosen = templates?.find(({ id }) => id === step.templateId)
  if (templates?.length === 0 && step.templateId === null)
    return (
      <p className="t2">
        No templates yet.{' '}
        <Link className="link" to="/w/$workspaceId/templates" params={{ workspaceId: workspace.id }}>
          Create a template
        </Link>
      </p>
    )
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

interface ContentProps {
  step: EmailStep
  edit: Edit
  canEdit: boolean
}

function SubjectField({ step, edit, canEdit }: ContentProps) {
  const keys = useMetadataKeys()
  return (
    <CodeEditor
      keys={keys}
      readOnly={!canEdit}
      as="line"
      label="Subject"
      // Read once, when the editor appears.
      autoFocus={step.subject === ''}
      placeholder={'Welcome, {{ contact.firstName | default: "friend" }}!'}
      value={step.subject}
      onChange={(subject) => edit({ subject })}
    />
  )
}

/** Opens the canvas, and previews the email. */
function DesignFields({ step: { subject, previewText, text, category }, design }: { step: EmailStep; design: Design }) {
  const { onDesign } = useFieldsContext()
  const content = { subject, previewText, text, format: 'BLOCKS' as const, design }
  return (
    <>
      <Button leftSection={<IconPencil aria-hidden />} onClick={onDesign}>
        Edit email
      </Button>
      {design.blocks.length > 0 && (
        <EmailPreview
          of={content}
          category={category}
          preview={async (api, forWhom, signal) =>
            (await api.POST('/templates/preview', { body: { ...content, ...forWhom }, signal })).data.data
          }
        />
      )}
    </>
  )
}

function CodeFields({ step, edit, canEdit }: ContentProps) {
  const keys = useMetadataKeys()
  const shared = { keys, readOnly: !canEdit }
  return (
    <>
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
