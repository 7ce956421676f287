import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useMay, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { Ending } from '../../parts/Ending.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Part } from '../../shell/Page.tsx'

/** Whether mail is signed (DKIM), and by which key. */
export function Signing({ sender }: { sender: Schemas['Sender'] }) {
  const isOwner = useMay('owner')
  return (
    <Part title="Signed mail">
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
        {isOwner && (sender.isSigned ? <NoMore /> : <Begin />)}
      </div>
    </Part>
  )
}

function Begin() {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const [selector, setSelector] = useState('dripline')
  const body = { selector }
  const make = useMutation({
    mutationFn: () => api.POST('/sender/dkim', { body }),
    onSuccess: () => readAgain('sender'),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <form onSubmit={submit} aria-label="Sign mail">
      {make.isError && <Problem error={make.error} isAnswer />}
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

function NoMore() {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const [isAsked, setAsked] = useState(false)
  if (!isAsked)
    return (
      <div className="row">
        <Button variant="subtle" color="gray" onClick={() => setAsked(true)}>
          Sign no mail…
        </Button>
      </div>
    )
  return (
    <Ending
      verb="Delete the key"
      says="The key is gone for good; emails from now on are not signed."
      call={async () => {
        await api.DELETE('/sender/dkim')
        await readAgain('sender')
      }}
      onDone={() => setAsked(false)}
    />
  )
}
