import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ConfirmAction } from '../../components/ConfirmAction.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Section } from '../../layout/Page.tsx'

export function DkimSection({ sender }: { sender: Schemas['Sender'] }) {
  const isOwner = useHasRole('owner')
  return (
    <Section title="DKIM">
      <div className="card still">
        <p className="t2">
          {sender.isSigned ? (
            <>
              Emails are signed with the key <span className="mono">{sender.dkimSelector}</span>. Add its DNS record
              below.
            </>
          ) : (
            'Emails aren’t signed. Gmail and Yahoo require DKIM for bulk email.'
          )}
        </p>
        {sender.nextDkimSelector !== null && (
          <p className="t2">
            The next key is <span className="mono">{sender.nextDkimSelector}</span>. Add its DNS record below, then
            switch to it.
          </p>
        )}
        {isOwner && !sender.isSigned && <SetUpDkimForm />}
        {isOwner && sender.isSigned && (
          <>
            <RotateDkimKey hasNext={sender.nextDkimSelector !== null} />
            <DeleteDkimKey />
          </>
        )}
      </div>
    </Section>
  )
}

function SetUpDkimForm() {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [selector, setSelector] = useState('dripline')
  const body = { selector }
  const create = useMutation({
    mutationFn: () => api.POST('/sender/dkim', { body }),
    onSuccess: () => invalidate('sender'),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit} aria-label="Set up DKIM">
      {create.isError && <ErrorBanner error={create.error} scrollsIntoView />}
      <div className="row" style={{ alignItems: 'end' }}>
        <TextInput
          label="Selector"
          description="Use a new selector for each key."
          value={selector}
          onChange={({ currentTarget: { value } }) => setSelector(value)}
        />
        <Button type="submit" loading={create.isPending}>
          Set up DKIM
        </Button>
      </div>
    </form>
  )
}

/** Creates the next key, or switches to it after its record is published. */
function RotateDkimKey({ hasNext }: { hasNext: boolean }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const rotate = useMutation({
    mutationFn: () => (hasNext ? api.POST('/sender/dkim/switch') : api.POST('/sender/dkim', { body: {} })),
    onSuccess: () => invalidate('sender'),
  })
  return (
    <>
      {rotate.isError && <ErrorBanner error={rotate.error} scrollsIntoView />}
      <div className="row">
        <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
          {hasNext ? 'Switch to next key' : 'Create next key'}
        </Button>
      </div>
    </>
  )
}

function DeleteDkimKey() {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [isAsked, setPending] = useState(false)
  if (!isAsked)
    return (
      <div className="row">
        <Button variant="subtle" color="gray" onClick={() => setPending(true)}>
          Delete DKIM keys…
        </Button>
      </div>
    )
  return (
    <ConfirmAction
      confirmLabel="Delete DKIM keys"
      description="New emails won’t be signed. This can’t be undone."
      action={async () => {
        await api.DELETE('/sender/dkim')
        await invalidate('sender')
      }}
      onDone={() => setPending(false)}
    />
  )
}
