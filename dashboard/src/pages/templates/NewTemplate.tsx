import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { callOnce } from '../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { StarterChoice, useStarters } from './StarterChoice.tsx'
import { PLAIN_STARTERS, type Starter } from './starters.ts'

/** The kinds of new templates with their initial content. */
const KINDS = {
  blocks: { label: 'Email (visual editor)', body: { kind: 'EMAIL', format: 'BLOCKS' } },
  mjml: {
    label: 'Email (MJML)',
    body: {
      kind: 'EMAIL',
      format: 'MJML',
      html: '<mjml>\n  <mj-body>\n    <mj-section>\n      <mj-column>\n        <mj-text>Hello {{ contact.firstName }}</mj-text>\n      </mj-column>\n    </mj-section>\n  </mj-body>\n</mjml>\n',
    },
  },
  html: {
    label: 'Email (HTML)',
    body: { kind: 'EMAIL', format: 'HTML', html: '<p>Hello {{ contact.firstName }}</p>\n' },
  },
  layout: {
    label: 'Layout (header and footer)',
    body: { kind: 'LAYOUT', format: 'HTML', html: '<html>\n  <body>\n    {{ content }}\n  </body>\n</html>\n' },
  },
  partial: {
    label: 'Snippet (part of other templates)',
    body: { kind: 'PARTIAL', format: 'HTML', html: '<p>Kind regards</p>\n' },
  },
} as const

const CHOICES = Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))

const EMPTY = { name: '', kind: 'blocks' as keyof typeof KINDS }

function bodyOf({ name, kind }: typeof EMPTY, starter: Starter | undefined) {
  if (kind !== 'blocks' || !starter) return { name, subject: null, ...KINDS[kind].body }
  const { subject, previewText, design } = starter
  return { name, subject, previewText, ...KINDS.blocks.body, design }
}

export function NewTemplateForm({ onCreated, onCancel }: { onCreated: (id: string) => void; onCancel: () => void }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const starters = useStarters()
  const [chosen, setChosen] = useState<Starter['id']>('blank')
  // The form can be sent before the brand is loaded.
  const starter = (starters ?? PLAIN_STARTERS).find(({ id }) => id === chosen)
  const form = useApiForm({
    initialValues: EMPTY,
    async send(values) {
      const body = bodyOf(values, starter)
      const { data } = await callOnce([workspace.id, 'template', body], (header) =>
        api.POST('/templates', { params: { header }, body }),
      )
      void invalidate('templates')
      return data.data.id
    },
    onSent: (id) => id !== undefined && onCreated(id),
  })
  return (
    <ApiForm
      form={form}
      label="New template"
      submitLabel="Create template"
      onCancel={onCancel}
      more={<CurlButton call={{ method: 'POST', path: '/templates', body: bodyOf(form.values, starter) }} />}
    >
      <TextInput
        label="Name"
        description="Internal name. Emails include snippets by this name."
        {...form.getInputProps('name')}
        autoFocus
      />
      <Select label="Type" data={CHOICES} allowDeselect={false} {...form.getInputProps('kind')} />
      {form.values.kind === 'blocks' &&
        (starters ? (
          <StarterChoice
            starters={starters}
            chosen={starter}
            onChoose={({ id, name }) => {
              // The name follows the choice until the user types another one.
              if (form.values.name === '' || starters.some((each) => each.name === form.values.name))
                form.setFieldValue('name', id === 'blank' ? '' : name)
              setChosen(id)
            }}
          />
        ) : (
          <SkeletonRows rows={3} />
        ))}
    </ApiForm>
  )
}
