import { Button, Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { callOnce, isReplay } from '../../api/call-once.ts'
import type { Schemas } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { plural } from '../../lib/format.ts'
import classes from './contact.module.css'

type Contact = Schemas['Contact']

/** Parses the data of an event. @returns `undefined` if it is not a JSON object */
function parseData(text: string): Record<string, never> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, never>)
      : undefined
  } catch {
    return undefined
  }
}

/** Sends an event for a contact. */
export function SendEventForm({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const [isChecked, setChecked] = useState(false)
  const data = parseData(text)
  const body = { name, ...(data && Object.keys(data).length > 0 && { data }) }
  const fire = useMutation({
    mutationFn: async () => {
      const path = { id: contact.id }
      const { data: answer, response } = await callOnce(['event', path, body], (header) =>
        api.POST('/contacts/{id}/events', { params: { path, header }, body }),
      )
      return { ...answer.data, was: isReplay(response) }
    },
    onSuccess({ matchingAutomations, was }) {
      const before = was ? ' It was sent by your previous click.' : ''
      notifications.show({ message: `Event sent. It matches ${plural(matchingAutomations, 'automation')}.${before}` })
      void invalidate('contacts', contact.id)
    },
  })
  const send = () => (data ? fire.mutate(undefined, { onSuccess: onDone }) : setChecked(true))
  return (
    <div className={classes.ask}>
      <UnsavedChangesGuard isDirty={(name !== '' || text !== '') && !fire.isSuccess} isSending={fire.isPending} />
      {fire.isError && <ErrorBanner error={fire.error} scrollsIntoView />}
      <TextInput
        disabled={fire.isPending}
        label="Event"
        placeholder="trial.started"
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        autoFocus
      />
      <Textarea
        disabled={fire.isPending}
        label="Data"
        description="A JSON object. Optional."
        placeholder={'{ "orderId": "A-1" }'}
        autosize
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        onBlur={() => setChecked(true)}
        error={isChecked && !data && 'Enter a JSON object, such as { "orderId": "A-1" }.'}
      />
      <div className="row">
        <Button variant="filled" loading={fire.isPending} onClick={send}>
          Send event
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={fire.isPending}>
          Cancel
        </Button>
        <CurlButton call={{ method: 'POST', path: `/contacts/${contact.id}/events`, body }} />
      </div>
    </div>
  )
}
