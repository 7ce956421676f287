import { Checkbox, ColorInput, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { Section } from '../../layout/Page.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
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
function brandProblem(problem: ReactNode): string | undefined {
  if (typeof problem !== 'string') return undefined
  return problem.includes('contrast')
    ? 'Choose a darker color, so that texts are readable.'
    : 'Write the color with six digits, such as #2f6b45.'
}

export function SenderForm({ sender }: { sender: Sender }) {
  const { api } = useWorkspace()
  const isOwner = useHasRole('owner')
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: fieldsOf(sender),
    isReadOnly: !isOwner,
    // Fields that were not edited keep their current values: a colleague may have changed them.
    async send(_fields, changes) {
      const { data } = await api.GET('/sender')
      await api.PUT('/sender', { body: bodyOf({ ...fieldsOf(data.data), ...changes }) })
      void invalidate('sender')
    },
  })
  return (
    <Section title="Sender identity">
      <ApiForm
        form={form}
        label="Sender"
        submitLabel="Save sender"
        more={
          form.request.isSuccess && (
            <span className="small t2" role="status">
              Saved.
            </span>
          )
        }
        className="card still"
      >
        {!isOwner && <p className="t2">Only owners can change the sender.</p>}
        <TextInput label="From name" placeholder="Instance default" {...form.getInputProps('fromName')} />
        <TextInput
          label="From address"
          placeholder="Instance default"
          description="Save to see the DNS records that authorize this domain."
          {...form.getInputProps('fromAddress')}
        />
        <TextInput label="Reply-to" placeholder="Same as the From address" {...form.getInputProps('replyTo')} />
        <Textarea
          label="Postal address"
          description="Added to the footer of marketing emails; required by law in many countries."
          autosize
          minRows={2}
          {...form.getInputProps('postalAddress')}
        />
        <ColorInput
          label="Brand color"
          description="For the pages where recipients unsubscribe, choose lists and confirm."
          placeholder="#026b98"
          format="hex"
          eyeDropperButtonProps={{ 'aria-label': 'Pick a color from the screen' }}
          // It opens with the focus, and must not cover the error.
          popoverProps={{ position: 'top-start' }}
          {...form.getInputProps('brandColor')}
          error={brandProblem(form.errors['brandColor'])}
        />
        <LogoField canEdit={isOwner} {...form.getInputProps('logoUrl')} value={form.values.logoUrl} />
        <Checkbox
          label="Track opens"
          description="Adds a tracking pixel to marketing emails. Some email clients block or preload it."
          {...form.getInputProps('trackOpens', { type: 'checkbox' })}
        />
        <Checkbox
          label="Track clicks"
          description="Redirects links in marketing emails through Dripline. Transactional emails aren’t tracked."
          {...form.getInputProps('trackClicks', { type: 'checkbox' })}
        />
      </ApiForm>
    </Section>
  )
}
