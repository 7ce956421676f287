import { Button, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useMay, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../parts/CurlButton.tsx'
import { Unsaved } from '../../parts/NotSaved.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Part } from '../../shell/Page.tsx'

type Sender = Schemas['Sender']

/** Empty is the installation's. */
const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

export function SenderForm({ sender }: { sender: Sender }) {
  const { api } = useWorkspace()
  const isOwner = useMay('owner')
  const readAgain = useReadAgain()
  const [fields, setFields] = useState({
    fromName: sender.fromName ?? '',
    fromAddress: sender.fromAddress ?? '',
    replyTo: sender.replyTo ?? '',
    postalAddress: sender.postalAddress ?? '',
  })
  type Field = keyof typeof fields
  const names = Object.keys(fields) as Field[]
  const body = Object.fromEntries(names.map((name) => [name, orNull(fields[name])])) as Record<Field, string | null>
  const isDirty = names.some((name) => body[name] !== sender[name])
  const save = useMutation({
    mutationFn: () => api.PUT('/sender', { body }),
    onSuccess: () => readAgain('sender'),
  })
  const of = (name: Field) => ({
    value: fields[name],
    readOnly: !isOwner,
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setFields((now) => ({ ...now, [name]: value })),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Part title="As whom it sends">
      <form className="card still" onSubmit={submit} aria-label="Sender">
        <Unsaved isDirty={isDirty && !save.isSuccess} isSending={save.isPending} />
        {save.isError && <Problem error={save.error} />}
        <fieldset className="plainFields formFields" disabled={save.isPending}>
          <TextInput label="Name" placeholder="The installation’s" {...of('fromName')} />
          <TextInput
            label="Address"
            placeholder="The installation’s"
            description="Its domain is the one whose DNS records are below."
            {...of('fromAddress')}
          />
          <TextInput label="Answers go to" placeholder="The same address" {...of('replyTo')} />
          <Textarea
            label="Postal address"
            description="Stands below each marketing email, as the law of many countries asks for."
            autosize
            minRows={2}
            {...of('postalAddress')}
          />
        </fieldset>
        {isOwner && (
          <div className="row">
            <Button type="submit" variant="filled" loading={save.isPending}>
              Save
            </Button>
            {save.isSuccess && !isDirty && (
              <span className="small t2" role="status">
                Saved. Emails from now on have it.
              </span>
            )}
            <CurlButton call={{ method: 'PUT', path: '/sender', body }} />
          </div>
        )}
      </form>
    </Part>
  )
}
