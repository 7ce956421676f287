import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { DriplineError } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import classes from './contacts.module.css'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

/** Creates a contact. It triggers automations like an API request. */
export function NewContactForm({ onDone }: { onDone: () => void }) {
  useReturnFocus()
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  const [email, setEmail] = useState('')
  const [firstName, setFirstName] = useState('')
  const create = useMutation({
    mutationFn: async () =>
      (await api.POST('/contacts', { body: { email, ...(firstName !== '' && { firstName }) } })).data.data,
    onSuccess: () => void invalidate('contacts'),
  })
  const goTo = ({ id: contactId }: { id: string }) =>
    void navigate({
      to: '/w/$workspaceId/contacts/$contactId',
      params: { workspaceId: workspace.id, contactId },
      ignoreBlocker: true,
    })
  const param = create.error instanceof DriplineError ? create.error.param : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Does not navigate if the user closed the form.
    create.mutate(undefined, { onSuccess: goTo })
  }
  return (
    <form className="card" onSubmit={submit} onChange={() => create.isError && create.reset()} aria-label="New contact">
      <UnsavedChangesGuard
        isDirty={(email !== '' || firstName !== '') && !create.isSuccess}
        isSending={create.isPending}
      />
      {create.isError && param !== '/email' && <ErrorBanner error={create.error} scrollsIntoView />}
      <fieldset className={`plainFields ${classes.pair}`} disabled={create.isPending}>
        <TextInput
          label="Email"
          type="email"
          value={email}
          error={param === '/email' && create.error?.message}
          onChange={({ currentTarget: { value } }) => setEmail(value)}
          autoFocus
        />
        <TextInput
          label="First name"
          value={firstName}
          onChange={({ currentTarget: { value } }) => setFirstName(value)}
        />
      </fieldset>
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
        <CurlButton
          call={{ method: 'POST', path: '/contacts', body: { email, ...(firstName !== '' && { firstName }) } }}
        />
      </div>
    </form>
  )
}
