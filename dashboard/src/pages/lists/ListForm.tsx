import { Checkbox, TextInput } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { callOnce } from '../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'

type List = Schemas['ContactList']

const fieldsOf = (list: List | undefined) => ({
  name: list?.name ?? '',
  description: list?.description ?? '',
  public: list?.public ?? false,
})

/** Creates or edits a list. */
export function ListForm({ list, onDone }: { list?: List; onDone: () => void }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: fieldsOf(list),
    isEdit: list !== undefined,
    // Only changed fields, so that changes of others are not reverted.
    async send({ name }, changes) {
      if (list) await api.PATCH('/lists/{id}', { params: { path: { id: list.id } }, body: changes })
      else
        await callOnce([workspace.id, 'list', changes], (header) =>
          api.POST('/lists', { params: { header }, body: { ...changes, name } }),
        )
      void invalidate('lists')
    },
    onSent: onDone,
  })
  const body = list ? form.changes : { name: form.values.name, ...form.changes }
  return (
    <ApiForm
      form={form}
      label={list ? `List ${list.name}` : 'New list'}
      submitLabel={list ? 'Save list' : 'Create list'}
      onCancel={onDone}
      more={
        <CurlButton
          call={list ? { method: 'PATCH', path: `/lists/${list.id}`, body } : { method: 'POST', path: '/lists', body }}
        />
      }
    >
      <TextInput label="Name" {...form.getInputProps('name')} autoFocus />
      <TextInput label="Description" {...form.getInputProps('description')} />
      <Checkbox
        label="Public"
        description="Subscribers see this list in their preferences and can leave it."
        {...form.getInputProps('public', { type: 'checkbox' })}
      />
    </ApiForm>
  )
}
