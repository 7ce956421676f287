import { Button, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { callOnce } from '../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { useReturnFocus } from '../../lib/use-return-focus.ts'
import { STARTER_DESIGN } from '../../editor/blocks.ts'

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
type Kind = keyof typeof KINDS

const CHOICES = Object.entries(KINDS).map(([value, { label }]) => ({ value: value as Kind, label }))

export function NewTemplateForm({ onCreated, onCancel }: { onCreated: (id: string) => void; onCancel: () => void }) {
  useReturnFocus()
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Kind>('blocks')
  const body = { name, subject: null, ...KINDS[kind].body }
  const create = useMutation({
    mutationFn: async () =>
      (
        await callOnce([workspace.id, 'template', body], (header) =>
          api.POST('/templates', { params: { header }, body }),
        )
      ).data.data,
    onSuccess: () => void invalidate('templates'),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(undefined, { onSuccess: ({ id }) => onCreated(id) })
  }
  return (
    <form
      className="card"
      onSubmit={submit}
      onChange={() => create.isError && create.reset()}
      aria-label="New template"
    >
      {create.isError && <ErrorBanner error={create.error} scrollsIntoView />}
      <fieldset className="plainFields formFields" disabled={create.isPending}>
        <TextInput
          label="Name"
          description="Internal name. Emails include snippets by this name."
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
          autoFocus
        />
        <Select
          label="Type"
          data={CHOICES}
          value={kind}
          allowDeselect={false}
          onChange={(chosen) => chosen && setKind(chosen)}
        />
      </fieldset>
      <div className="row">
        <Button type="submit" variant="filled" loading={create.isPending}>
          Create template
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={create.isPending}>
          Cancel
        </Button>
        <CurlButton call={{ method: 'POST', path: '/templates', body }} />
      </div>
    </form>
  )
}
