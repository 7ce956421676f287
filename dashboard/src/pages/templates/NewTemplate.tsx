import { Select, TextInput } from '@mantine/core'
import { callOnce } from '../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { STARTER_DESIGN } from '../../editor/blocks.ts'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'

/** The kinds of new templates with their initial content. */
const KINDS = {
  blocks: { label: 'Email (visual editor)', body: { kind: 'EMAIL', format: 'BLOCKS', design: STARTER_DESIGN } },
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

const bodyOf = ({ name, kind }: typeof EMPTY) => ({ name, subject: null, ...KINDS[kind].body })

export function NewTemplateForm({ onCreated, onCancel }: { onCreated: (id: string) => void; onCancel: () => void }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: EMPTY,
    async send(values) {
      const body = bodyOf(values)
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
      more={<CurlButton call={{ method: 'POST', path: '/templates', body: bodyOf(form.values) }} />}
    >
      <TextInput
        label="Name"
        description="Internal name. Emails include snippets by this name."
        {...form.getInputProps('name')}
        autoFocus
      />
      <Select label="Type" data={CHOICES} allowDeselect={false} {...form.getInputProps('kind')} />
    </ApiForm>
  )
}
