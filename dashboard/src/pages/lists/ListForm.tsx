import { Button, Checkbox, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { callOnce } from '../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { stableJson } from '../../lib/stable-json.ts'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

type List = Schemas['ContactList']

const fieldsOf = (list: List | undefined) => ({
  name: list?.name ?? '',
  description: list?.description ?? '',
  public: list?.public ?? false,
})

/** Creates or edits a list. */
export function ListForm({ list, onDone }: { list?: List; onDone: () => void }) {
  useReturnFocus()
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const [fields, setFields] = useState(() => fieldsOf(list))
  const set = (some: Partial<typeof fields>) => setFields((now) => ({ ...now, ...some }))
  const isDirty = stableJson(fields) !== stableJson(fieldsOf(list))
  // Only changed fields, so that changes of others are not reverted.
  const before = fieldsOf(list)
  const body = {
    ...((!list || fields.name !== before.name) && { name: fields.name }),
    ...(fields.description !== before.description && { description: fields.description }),
    ...(fields.public !== before.public && { public: fields.public }),
  }
  const save = useMutation({
    mutationFn: async () => {
      if (list) await api.PATCH('/lists/{id}', { params: { path: { id: list.id } }, body })
      else
        await callOnce([workspace.id, 'list', body], (header) =>
          api.POST('/lists', { params: { header }, body: { ...body, name: fields.name } }),
        )
    },
    onSuccess: () => void invalidate('lists'),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (list && !isDirty) onDone()
    else save.mutate(undefined, { onSuccess: onDone })
  }
  return (
    <form
      className="card"
      onSubmit={submit}
      onChange={() => save.isError && save.reset()}
      aria-label={list ? `List ${list.name}` : 'New list'}
    >
      <UnsavedChangesGuard isDirty={isDirty && !save.isSuccess} isSending={save.isPending} />
      {save.isError && <ErrorBanner error={save.error} scrollsIntoView />}
      <fieldset className="plainFields formFields" disabled={save.isPending}>
        <TextInput
          label="Name"
          value={fields.name}
          onChange={({ currentTarget: { value } }) => set({ name: value })}
          autoFocus
        />
        <TextInput
          label="Description"
          value={fields.description}
          onChange={({ currentTarget: { value } }) => set({ description: value })}
        />
        <Checkbox
          label="Public"
          description="Subscribers see this list in their preferences and can leave it."
          checked={fields.public}
          onChange={({ currentTarget: { checked } }) => set({ public: checked })}
        />
      </fieldset>
      <div className="row">
        <Button type="submit" variant="filled" loading={save.isPending}>
          {list ? 'Save list' : 'Create list'}
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={save.isPending}>
          Cancel
        </Button>
        <CurlButton
          call={list ? { method: 'PATCH', path: `/lists/${list.id}`, body } : { method: 'POST', path: '/lists', body }}
        />
      </div>
    </form>
  )
}
