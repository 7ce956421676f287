import { Button, Checkbox, ColorInput, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { DriplineError, type Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Section } from '../../layout/Page.tsx'
import { LogoField } from './LogoField.tsx'

type Sender = Schemas['Sender']

/** Empty fields use the default of the instance. */
const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

const TEXTS = ['fromName', 'fromAddress', 'replyTo', 'postalAddress', 'brandColor', 'logoUrl'] as const

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

/** Returns what to do about the problem that the API found with the brand color. */
function brandProblem(problem: string | undefined): string | undefined {
  if (problem === undefined) return undefined
  return problem.includes('contrast')
    ? 'Choose a darker color, so that texts are readable.'
    : 'Write the color with six digits, such as #2f6b45.'
}

export function SenderForm({ sender }: { sender: Sender }) {
  const { api } = useWorkspace()
  const isOwner = useHasRole('owner')
  const invalidate = useInvalidate()
  // Edited fields keep their values during refetches.
  const [typed, setTyped] = useState<Partial<Fields>>({})
  const fields = { ...fieldsOf(sender), ...typed }
  const body = bodyOf(fields)
  const isDirty = Object.keys(typed).some((name) => body[name as keyof Fields] !== sender[name as keyof Fields])
  const save = useMutation({
    // Fields that were not edited keep their current values: a colleague may have changed them.
    mutationFn: async () => {
      const { data } = await api.GET('/sender')
      await api.PUT('/sender', { body: bodyOf({ ...fieldsOf(data.data), ...typed }) })
    },
    onSuccess: async () => {
      await invalidate('sender')
      setTyped({})
    },
  })
  // A field that is back to its saved value is not edited.
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
  const problemAt = (param: string) =>
    save.error instanceof DriplineError && save.error.param === param ? save.error.message : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Section title="Sender identity">
      <form className="card still" onSubmit={submit} onChange={() => save.isError && save.reset()} aria-label="Sender">
        <UnsavedChangesGuard isDirty={isDirty} isSending={save.isPending} />
        {save.isError && problemAt('/brandColor') === undefined && <ErrorBanner error={save.error} scrollsIntoView />}
        <fieldset className="plainFields formFields" disabled={save.isPending}>
          <TextInput label="From name" placeholder="Instance default" {...of('fromName')} />
          <TextInput
            label="From address"
            placeholder="Instance default"
            description="Save to see the DNS records that authorize this domain."
            {...of('fromAddress')}
          />
          <TextInput label="Reply-to" placeholder="Same as the From address" {...of('replyTo')} />
          <Textarea
            label="Postal address"
            description="Added to the footer of marketing emails; required by law in many countries."
            autosize
            minRows={2}
            {...of('postalAddress')}
          />
          <ColorInput
            label="Brand color"
            description="For the pages where recipients unsubscribe, choose lists and confirm."
            placeholder="#026b98"
            format="hex"
            eyeDropperButtonProps={{ 'aria-label': 'Pick a color from the screen' }}
            error={brandProblem(problemAt('/brandColor'))}
            value={fields.brandColor}
            readOnly={!isOwner}
            onChange={(brandColor) => set({ brandColor })}
          />
          <LogoField value={fields.logoUrl} canEdit={isOwner} onChange={(logoUrl) => set({ logoUrl })} />
          <Checkbox
            label="Track opens"
            description="Adds a tracking pixel to marketing emails. Some email clients block or preload it."
            {...choice('trackOpens')}
          />
          <Checkbox
            label="Track clicks"
            description="Redirects links in marketing emails through Dripline. Transactional emails aren’t tracked."
            {...choice('trackClicks')}
          />
        </fieldset>
        {isOwner && (
          <div className="row">
            <Button type="submit" variant="filled" loading={save.isPending}>
              {' '}
              Save sender
            </Button>
            {save.isSuccess && !isDirty && (
              <span className="small t2" role="status">
                Saved.
              </span>
            )}
          </div>
        )}
      </form>
    </Section>
  )
}
