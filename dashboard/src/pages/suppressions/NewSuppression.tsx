import { Select, TextInput } from '@mantine/core'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'

const CHOICES = [
  { value: 'MANUAL', label: 'All email, including transactional' },
  { value: 'UNSUBSCRIBED', label: 'Marketing email' },
] as const

const EMPTY = { email: '', reason: 'MANUAL' as (typeof CHOICES)[number]['value'], note: '' }

const bodyOf = ({ note, ...fields }: typeof EMPTY) => ({ ...fields, ...(note !== '' && { note }) })

export function NewSuppressionForm({ onDone }: { onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: EMPTY,
    async send(values) {
      await api.POST('/suppressions', { body: bodyOf(values) })
      void invalidate('suppressions')
    },
    onSent: onDone,
  })
  return (
    <ApiForm
      form={form}
      label="Suppress address"
      submitLabel="Suppress address"
      onCancel={onDone}
      more={<CurlButton call={{ method: 'POST', path: '/suppressions', body: bodyOf(form.values) }} />}
    >
      <TextInput
        label="Email"
        description="The address doesn’t need to belong to a contact."
        {...form.getInputProps('email')}
        autoFocus
      />
      <Select label="Block" allowDeselect={false} data={CHOICES} {...form.getInputProps('reason')} />
      <TextInput
        label="Note"
        description="Internal note, such as who asked and when."
        {...form.getInputProps('note')}
      />
    </ApiForm>
  )
}
