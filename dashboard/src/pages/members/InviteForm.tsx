import { ActionIcon, Button, Select, TextInput } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy, IconX } from '@tabler/icons-react'
import type { Role } from '../../api/session.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { ROLES } from './roles.ts'
import classes from './members.module.css'

/** A new invitation link, and a warning if it may not work for others. */
export interface NewLink {
  link: string
  warning: string | null
  /** The address to which it is emailed. */
  mailedTo: string | null
}

const EMPTY: { role: Role; email: string } = { role: 'editor', email: '' }

/** Creates an invitation link. */
export function InviteForm({ onCreated, onCancel }: { onCreated: (link: NewLink) => void; onCancel: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: EMPTY,
    async send({ role, email }) {
      const { data, response } = await api.POST('/invitations', { body: { role, ...(email !== '' && { email }) } })
      const { link, isMailed } = data.data
      // Even if the form was closed: the link can be shown only now.
      onCreated({ link, warning: response.headers.get('x-warning'), mailedTo: isMailed ? email : null })
      await invalidate('invitations')
    },
  })
  return (
    <ApiForm form={form} label="Invite a member" hasHeading submitLabel="Create invitation" onCancel={onCancel}>
      <Select label="Role" allowDeselect={false} data={[...ROLES]} {...form.getInputProps('role')} />
      <TextInput
        label="Email"
        description="We email the invitation if this instance delivers mail. Leave empty to let anyone with the link join."
        {...form.getInputProps('email')}
        autoFocus
      />
    </ApiForm>
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
