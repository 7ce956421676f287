import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import classes from './contact.module.css'

type Contact = Schemas['Contact']

/** Asks before a contact is erased. */
export function ConfirmErase({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  const erase = useMutation({
    mutationFn: () => api.DELETE('/contacts/{id}', { params: { path: { id: contact.id } } }),
    onSuccess: () => void invalidate('contacts'),
  })
  const leave = () => void navigate({ to: '/w/$workspaceId/contacts', params: { workspaceId: workspace.id } })
  return (
    <div className={`${classes.ask} ${classes.bad} c-bad`} role="group" aria-label="Erase this contact">
      <h3>Erase {contact.email}?</h3>
      <p className="t2">
        This permanently deletes the contact with all messages, events and enrollments. They receive no further email.
        This can’t be undone.
      </p>
      {erase.isError && <ErrorBanner error={erase.error} scrollsIntoView />}
      <div className="row">
        <Button
          variant="filled"
          color="bad"
          loading={erase.isPending}
          onClick={() => erase.mutate(undefined, { onSuccess: leave })}
        >
          Erase contact
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={erase.isPending}>
          {' '}
          Cancel
        </Button>
        <CurlButton call={{ method: 'DELETE', path: `/contacts/${contact.id}` }} />
      </div>
    </div>
  )
}
