import { ActionIcon, Button, Select, TextInput } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { DriplineError } from '../../api/client.ts'
import type { Role } from '../../api/session.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { useReturnFocus } from '../../lib/use-return-focus.ts'
import { ROLES } from './roles.ts'
import classes from './members.module.css'

/** A new invitation link, and a warning if it may not work for others. */
export interface NewLink {
  link: string
  warning: string | null
  /** The address to which it is emailed. */
  mailedTo: string | null
}

/** Creates an invitation link. */
export function InviteForm({ onCreated, onCancel }: { onCreated: (link: NewLink) => void; onCancel: () => void }) {
  useReturnFocus()
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [role, setRole] = useState<Role>('editor')
  const [email, setEmail] = useState('')
  const invite = useMutation({
    mutationFn: async (): Promise<NewLink> => {
      const { data, response } = await api.POST('/invitations', { body: { role, ...(email !== '' && { email }) } })
      const { link, isMailed } = data.data
      return { link, warning: response.headers.get('x-warning'), mailedTo: isMailed ? email : null }
    },
    async onSuccess(link) {
      onCreated(link)
      await invalidate('invitations')
    },
  })
  const param = invite.error instanceof DriplineError ? invite.error.param : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate()
  }
  return (
    <form
      className="card"
      onSubmit={submit}
      onChange={() => invite.isError && invite.reset()}
      aria-label="Invite a member"
    >
      <h2>Invite a member</h2>
      <UnsavedChangesGuard isDirty={email !== '' && !invite.isSuccess} isSending={invite.isPending} />
      {invite.isError && param !== '/email' && <ErrorBanner error={invite.error} scrollsIntoView />}
      <Select
        disabled={invite.isPending}
        label="Role"
        allowDeselect={false}
        data={[...ROLES]}
        value={role}
        onChange={(value) => setRole(value as Role)}
      />
      <TextInput
        disabled={invite.isPending}
        label="Email"
        description="We email the invitation if this instance delivers mail. Leave empty to let anyone with the link join."
        value={email}
        error={param === '/email' && invite.error?.message}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
        autoFocus
      />
      <div className="row">
        <Button type="submit" variant="filled" loading={invite.isPending}>
          Create invitation
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={invite.isPending}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

/** Shows a new invitation link, once. */
export function InviteLink({ of: { link, warning, mailedTo }, onDone }: { of: NewLink; onDone: () => void }) {
  const { copy, copied } = useClipboard({ timeout: 3_000 })
  return (
    <section className="card" aria-label="Invitation link">
      <div className="row">
        <h2>Invitation link</h2>
        <ActionIcon className="push" aria-label="Close" onClick={onDone}>
          <IconX />
        </ActionIcon>
      </div>
      <p className="t2">
        {mailedTo === null ? (
          'Copy the link and send it yourself.'
        ) : (
          <>
            An email with a link of its own is on its way to <bdi>{mailedTo}</bdi>. You can also send this link:
            whichever is used first ends the other.
          </>
        )}{' '}
        It works once, expires in 7 days and won’t be shown again.
      </p>
      {warning !== null && <p role="status">{warning}.</p>}
      <div className="row">
        <output className={`mono ${classes.link}`}>{link}</output>
        <Button
          variant="filled"
          leftSection={copied ? <IconCheck aria-hidden /> : <IconCopy aria-hidden />}
          onClick={() => copy(link)}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </div>
    </section>
  )
}
