import { Button, TagsInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { DriplineError } from '../../api/client.ts'
import { useLists } from '../../api/queries.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { AttributeFields } from '../contact/AttributeFields.tsx'
import { parseAttributes } from '../contact/attributes.ts'
import classes from './contacts.module.css'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

const EMPTY = {
  email: '',
  firstName: '',
  externalId: '',
  listId: null as string | null,
  tags: [] as string[],
  data: '{}',
}

function bodyOf({ email, firstName, externalId, listId, tags, data }: typeof EMPTY) {
  const metadata = parseAttributes(data) ?? {}
  return {
    email,
    ...(firstName !== '' && { firstName }),
    ...(externalId !== '' && { externalId }),
    ...(listId !== null && { listId }),
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
}

/** Creates a contact. It triggers automations like an API request. */
export function NewContactForm({ onDone }: { onDone: () => void }) {
  useReturnFocus()
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  const lists = useLists()
  const [fields, setFields] = useState(EMPTY)
  const set = (change: Partial<typeof EMPTY>) => setFields((before) => ({ ...before, ...change }))
  const metadata = parseAttributes(fields.data)
  const body = bodyOf(fields)
  const create = useMutation({
    mutationFn: async () => (await api.POST('/contacts', { body })).data.data,
    onSuccess: () => void invalidate('contacts'),
  })
  const goTo = ({ id: contactId }: { id: string }) =>
    void navigate({
      to: '/w/$workspaceId/contacts/$contactId',
      params: { workspaceId: workspace.id, contactId },
      ignoreBlocker: true,
    })
  const param = create.error instanceof DriplineError ? create.error.param : undefined
  const errorOf = (of: string) => (param === of ? create.error?.message : undefined)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (focusInvalidField(event.currentTarget) || metadata === undefined) return
    // Does not navigate if the user closed the form.
    create.mutate(undefined, { onSuccess: goTo })
  }
  return (
    <form className="card" onSubmit={submit} onChange={() => create.isError && create.reset()} aria-label="New contact">
      <UnsavedChangesGuard
        isDirty={stableJson(fields) !== stableJson(EMPTY) && !create.isSuccess}
        isSending={create.isPending}
      />
      {create.isError && !['/email', '/externalId', '/metadata'].includes(param ?? '') && (
        <ErrorBanner error={create.error} scrollsIntoView />
      )}
      <fieldset className={`plainFields ${classes.pair}`} disabled={create.isPending}>
        <TextInput
          label="Email"
          type="email"
          value={fields.email}
          error={errorOf('/email')}
          data-rechecked={errorOf('/email') !== undefined || undefined}
          onChange={({ currentTarget: { value } }) => set({ email: value })}
          autoFocus
        />
        <TextInput
          label="First name"
          value={fields.firstName}
          onChange={({ currentTarget: { value } }) => set({ firstName: value })}
        />
        <TextInput
          label="External ID"
          value={fields.externalId}
          error={errorOf('/externalId')}
          data-rechecked={errorOf('/externalId') !== undefined || undefined}
          onChange={({ currentTarget: { value } }) => set({ externalId: value })}
        />
        <SearchableSelect
          label="List"
          clearable
          data={lists ?? []}
          value={fields.listId}
          onChange={(listId) => set({ listId })}
        />
        <TagsInput label="Tags" value={fields.tags} onChange={(tags) => set({ tags })} />
      </fieldset>
      <AttributeFields value={fields.data} error={errorOf('/metadata')} onChange={(data) => set({ data })} />
      <p className="small t3">
        If a contact with this email exists, it is updated. A new contact can start automations.
      </p>
      <div className="row">
        <Button type="submit" variant="filled" loading={create.isPending}>
          Save contact
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={create.isPending}>
          Cancel
        </Button>
        <CurlButton call={{ method: 'POST', path: '/contacts', body }} />
      </div>
    </form>
  )
}
