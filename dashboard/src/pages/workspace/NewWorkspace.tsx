import { Button, Radio, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { callOnce } from '../../api/call-once.ts'
import { sessionQuery, type Workspace } from '../../api/session.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import classes from './workspace.module.css'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

export function NewWorkspace({ onDone }: { onDone: () => void }) {
  useReturnFocus()
  const { api } = useWorkspace()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [mode, setMode] = useState<Workspace['mode']>('test')
  const create = useMutation({
    mutationFn: async () => {
      const body = { name, mode }
      const created = await callOnce(['workspace', body], (header) =>
        api.POST('/workspaces', { params: { header }, body }),
      )
      return created.data.data
    },
    // The workspace exists even if the session can't be reloaded.
    onSuccess: () => client.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined),
  })
  const goTo = ({ id }: { id: string }) =>
    void navigate({ to: '/w/$workspaceId', params: { workspaceId: id }, ignoreBlocker: true })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(undefined, { onSuccess: goTo })
  }
  return (
    <form
      className="card"
      onSubmit={submit}
      onChange={() => create.isError && create.reset()}
      aria-label="New workspace"
    >
      <h2>New workspace</h2>
      <UnsavedChangesGuard isDirty={name !== '' && !create.isSuccess} isSending={create.isPending} />
      {create.isError && <ErrorBanner error={create.error} scrollsIntoView />}
      <fieldset className="plainFields formFields" disabled={create.isPending}>
        <TextInput label="Name" value={name} onChange={({ currentTarget: { value } }) => setName(value)} autoFocus />
        <Radio.Group label="Mode (can’t be changed later)" value={mode} onChange={(value) => setMode(value)}>
          <div className={classes.modes}>
            <Radio value="test" label="Test" description="For development: emails are captured, not delivered." />
            <Radio value="live" label="Live" description="Emails are delivered through your mail server." />
          </div>
        </Radio.Group>
      </fieldset>
      <div className="row">
        <Button type="submit" variant="filled" loading={create.isPending}>
          Create workspace
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={create.isPending}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
