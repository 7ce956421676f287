import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ConfirmAction } from '../../components/ConfirmAction.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Section } from '../../layout/Page.tsx'

/** Whether mail is signed (DKIM), and by which key. */
export function DkimSection({ sender }: { sender: Schemas['Sender'] }) {
  const isOwner = useHasRole('owner')
  return (
    <Section title="Signed mail">
      <div className="card still">
        <p className="t2">
          {sender.isSigned ? (
            <>
              Each email is signed (DKIM), by the key <span className="mono">{sender.dkimSelector}</span>. Its record
              has to be in the DNS.
            </>
          ) : (
            'No email is signed. Gmail and Yahoo ask bulk senders for it (DKIM).'
          )}
        </p>
        {isOwner && (sender.isSigned ? <DeleteDkimKey /> : <SetUpDkimForm />)}
      </div>
    </Section>
  )
}

function SetUpDkimForm() {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [selector, setSelector] = useState('dripline')
  const body = { selector }
  const make = useMutation({
    mutationFn: () => api.POST('/sender/dkim', { body }),
    onSuccess: () => invalidate('sender'),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <form onSubmit={submit} aria-label="Sign mail">
      {make.isError && <ErrorBanner error={make.error} scrollsIntoView />}
      <div className="row" style={{ alignItems: 'end' }}>
        <TextInput
          label="Selector"
          description="Another one for each key."
          value={selector}
          onChange={({ currentTarget: { value } }) => setSelector(value)}
        />
        <Button type="submit" loading={make.isPending}>
          Make a key and sign
        </Button>
      </div>
    </form>
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
          Sign no mail…
        </Button>
      </div>
    )
  return (
    <ConfirmAction
      confirmLabel="Delete the key"
      description="The key is gone for good; emails from now on are not signed."
      action={async () => {
        await api.DELETE('/sender/dkim')
        await invalidate('sender')
      }}
      onDone={() => setPending(false)}
    />
  )
}
