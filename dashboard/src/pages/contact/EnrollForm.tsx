import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { callOnce, isReplay } from '../../api/call-once.ts'
import type { Schemas } from '../../api/client.ts'
import { readPages } from '../../api/queries.ts'
import { useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import classes from './contact.module.css'

type Contact = Schemas['Contact']

/** Adds a contact to an active automation. */
export function EnrollForm({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [automationId, setAutomationId] = useState<string | null>(null)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const { data } = useWorkspaceQuery(['automations', 'active'], async (read, signal) => {
    const listed = await readPages((query) => read.GET('/automations', { params: { query }, signal }))
    return listed.filter(({ status }) => status === 'active').map(({ id, name }) => ({ value: id, label: name }))
  })
  const enroll = useMutation({
    mutationFn: async (id: string) => {
      const body = { contactId: contact.id }
      const { data: enrolled, response } = await callOnce(['enroll', id, body], (header) =>
        api.POST('/automations/{id}/enroll', { params: { path: { id }, header }, body }),
      )
      return { ...enrolled.data, was: isReplay(response) }
    },
    onSuccess({ enrolled, was }) {
      const message = was ? 'Already added by your previous click.' : 'Added. The first step starts now.'
      notifications.show({ message: enrolled ? message : 'This contact is already in the automation.' })
      void invalidate('contacts', contact.id)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // The invalid text is not what would be enrolled.
    if (focusInvalidField(event.currentTarget)) return
    setWasSubmitted(automationId === null)
    if (automationId !== null) enroll.mutate(automationId, { onSuccess: onDone })
  }
  return (
    <form className={classes.ask} onSubmit={submit} aria-label="Add to automation">
      {enroll.isError && <ErrorBanner error={enroll.error} scrollsIntoView />}
      <SearchableSelect
        label="Automation"
        placeholder="Choose an automation"
        data={data ?? []}
        value={automationId}
        onChange={(id) => {
          setAutomationId(id)
          setWasSubmitted(false)
        }}
        isMissing={wasSubmitted && automationId === null}
      />
      <div className="row">
        <Button variant="filled" loading={enroll.isPending} type="submit">
          Add contact
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone}>
          Cancel
        </Button>
        {automationId !== null && (
          <CurlButton
            call={{ method: 'POST', path: `/automations/${automationId}/enroll`, body: { contactId: contact.id } }}
          />
        )}
      </div>
    </form>
  )
}
