import { Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { callOnce, isReplay } from '../../api/call-once.ts'
import type { Schemas } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { plural } from '../../lib/format.ts'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { parseAttributes } from './attributes.ts'
import classes from './contact.module.css'

type Contact = Schemas['Contact']

const EMPTY = { name: '', data: '' }

/** Parses the data of an event. @returns `undefined` if it is not a JSON object */
const parseData = (text: string) => parseAttributes(text.trim() === '' ? '{}' : text)

function bodyOf({ name, data: json }: typeof EMPTY) {
  const data = parseData(json) ?? {}
  return { name, ...(Object.keys(data).length > 0 && { data }) }
}

/** Sends an event for a contact. */
export function SendEventForm({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: EMPTY,
    validate: ({ data }) => ({ data: !parseData(data) && 'Enter a JSON object, such as { "orderId": "A-1" }.' }),
    async send(values) {
      const path = { id: contact.id }
      const body = bodyOf(values)
      const { data, response } = await callOnce(['event', path, body], (header) =>
        api.POST('/contacts/{id}/events', { params: { path, header }, body }),
      )
      const before = isReplay(response) ? ' It was sent by your previous click.' : ''
      const matches = plural(data.data.matchingAutomations, 'automation')
      notifications.show({ message: `Event sent. It matches ${matches}.${before}` })
      void invalidate('contacts', contact.id)
    },
    onSent: onDone,
  })
  return (
    <ApiForm
      form={form}
      label="Send event"
      submitLabel="Send event"
      onCancel={onDone}
      className={classes.ask}
      more={<CurlButton call={{ method: 'POST', path: `/contacts/${contact.id}/events`, body: bodyOf(form.values) }} />}
    >
      <TextInput label="Event" placeholder="trial.started" {...form.getInputProps('name')} autoFocus />
      <Textarea
        label="Data"
        description="A JSON object. Optional."
        placeholder={'{ "orderId": "A-1" }'}
        autosize
        {...form.getInputProps('data')}
        // Also before it is sent. An error of the server stays.
        onBlur={() => !form.isValid('data') && form.validateField('data')}
      />
    </ApiForm>
  )
}
