import { Button, Checkbox, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Section } from '../../layout/Page.tsx'

type Sender = Schemas['Sender']

/** Empty is the installation's. */
const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

const TEXTS = ['fromName', 'fromAddress', 'replyTo', 'postalAddress'] as const

const fieldsOf = ({ trackOpens, trackClicks, ...sender }: Sender) => ({
  ...(Object.fromEntries(TEXTS.map((name) => [name, sender[name] ?? ''])) as Record<(typeof TEXTS)[number], string>),
  trackOpens,
  trackClicks,
})
type Fields = ReturnType<typeof fieldsOf>

const bodyOf = (fields: Fields) => ({
  ...fields,
  ...Object.fromEntries(TEXTS.map((name) => [name, orNull(fields[name])])),
})

export function SenderForm({ sender }: { sender: Sender }) {
  const { api } = useWorkspace()
  const isOwner = useHasRole('owner')
  const invalidate = useInvalidate()
  // What is typed stays, whatever is read again meanwhile.
  const [typed, setTyped] = useState<Partial<Fields>>({})
  const fields = { ...fieldsOf(sender), ...typed }
  const body = bodyOf(fields)
  const isDirty = Object.keys(typed).some((name) => body[name as keyof Fields] !== sender[name as keyof Fields])
  const save = useMutation({
    // What was not typed here stays as it is by now: a colleague may have said it meanwhile.
    mutationFn: async () => {
      const { data } = await api.GET('/sender')
      await api.PUT('/sender', { body: bodyOf({ ...fieldsOf(data.data), ...typed }) })
    },
    onSuccess: async () => {
      await invalidate('sender')
      setTyped({})
    },
  })
  // What is as it was is not typed.
  const set = (some: Partial<Fields>) =>
    setTyped((now) => {
      const was = fieldsOf(sender)
      const all = Object.entries({ ...now, ...some })
      return Object.fromEntries(all.filter(([name, value]) => value !== was[name as keyof Fields]))
    })
  const of = (name: (typeof TEXTS)[number]) => ({
    value: fields[name],
    readOnly: !isOwner,
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => set({ [name]: value }),
  })
  const choice = (name: 'trackOpens' | 'trackClicks') => ({
    checked: fields[name],
    disabled: !isOwner,
    onChange: ({ currentTarget: { checked } }: { currentTarget: { checked: boolean } }) => set({ [name]: checked }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Section title="As whom it sends">
      <form className="card still" onSubmit={submit} aria-label="Sender">
        <UnsavedChangesGuard isDirty={isDirty} isSending={save.isPending} />
        {save.isError && <ErrorBanner error={save.error} scrollsIntoView />}
        <fieldset className="plainFields formFields" disabled={save.isPending}>
          <TextInput label="Name" placeholder="The installation’s" {...of('fromName')} />
          <TextInput
            label="Address"
            placeholder="The installation’s"
            description="The DNS of its domain has to say that this service may send for it: which records that wants is shown below, when it is saved."
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
          <Checkbox
            label="Look who opens marketing emails"
            description="By a picture at their end, which many mail programs fetch for everybody, or for nobody."
            {...choice('trackOpens')}
          />
          <Checkbox
            label="Look who follows links in marketing emails"
            description="Links lead by way of this service. Receipts are left as they are."
            {...choice('trackClicks')}
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
          </div>
        )}
      </form>
    </Section>
  )
}
