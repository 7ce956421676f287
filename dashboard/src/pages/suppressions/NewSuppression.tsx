import { Button, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

const CHOICES = [
  { value: 'MANUAL', label: 'All email, including transactional' },
  { value: 'UNSUBSCRIBED', label: 'Marketing email' },
] as const
type Choice = (typeof CHOICES)[number]['value']

export function NewSuppressionForm({ onDone }: { onDone: () => void }) {
  useReturnFocus()
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [email, setEmail] = useState('')
  const [reason, setReason] = useState<Choice>('MANUAL')
  const [note, setNote] = useState('')
  const body = { email, reason, ...(note !== '' && { note }) }
  const suppress = useMutation({
    mutationFn: () => api.POST('/suppressions', { body }),
    onSuccess: () => void invalidate('suppressions'),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    suppress.mutate(undefined, { onSuccess: onDone })
  }
  return (
    <form
      className="card"
      onSubmit={submit}
      onChange={() => suppress.isError && suppress.reset()}
      aria-label="Suppress address"
    >
      <UnsavedChangesGuard
        isDirty={(email !== '' || note !== '') && !suppress.isSuccess}
        isSending={suppress.isPending}
      />
      {suppress.isError && <ErrorBanner error={suppress.error} scrollsIntoView />}
      <fieldset className="plainFields formFields" disabled={suppress.isPending}>
        <TextInput
          label="Email"
          description="The address doesn’t need to belong to a contact."
          value={email}
          onChange={({ currentTarget: { value } }) => setEmail(value)}
          autoFocus
        />
        <Select
          label="Block"
          allowDeselect={false}
          data={CHOICES}
          value={reason}
          onChange={(value) => value && setReason(value)}
        />
        <TextInput
          label="Note"
          description="Internal note, such as who asked and when."
          value={note}
          onChange={({ currentTarget: { value } }) => setNote(value)}
        />
      </fieldset>
      <div className="row">
        <Button type="submit" variant="filled" loading={suppress.isPending}>
          Suppress address
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={suppress.isPending}>
          Cancel
        </Button>
        <CurlButton call={{ method: 'POST', path: '/suppressions', body }} />
      </div>
    </form>
  )
}
