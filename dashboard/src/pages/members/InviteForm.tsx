import { ActionIcon, Radio, Select, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { Role } from '../../api/session.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ShownOnce } from '../../components/ShownOnce.tsx'
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

const EMPTY: { role: Role; who: 'one' | 'anyone'; email: string } = { role: 'editor', who: 'one', email: '' }

/** Creates an invitation link. */
export function InviteForm({ onCreated, onCancel }: { onCreated: (link: NewLink) => void; onCancel: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: EMPTY,
    validate: ({ who, email }) => ({ email: who === 'one' && email.trim() === '' && 'Enter an email address.' }),
    async send({ role, who, email }) {
      const body = { role, ...(who === 'one' && { email }) }
      const { data, response } = await api.POST('/invitations', { body })
      const { link, isMailed } = data.data
      // Even if the form was closed: the link can be shown only now.
      onCreated({ link, warning: response.headers.get('x-warning'), mailedTo: isMailed ? email : null })
      await invalidate('invitations')
    },
  })
  return (
    <ApiForm form={form} label="Invite a member" hasHeading submitLabel="Create invitation" onCancel={onCancel}>
      <Select label="Role" allowDeselect={false} data={[...ROLES]} {...form.getInputProps('role')} />
      <Radio.Group label="Who can join" {...form.getInputProps('who')}>
        <div className="row">
          <Radio value="one" label="One person, by email" />
          <Radio value="anyone" label="Anyone with the link" />
        </div>
      </Radio.Group>
      {form.values.who === 'one' && (
        <TextInput
          label="Email"
          description="The invitation is emailed if this instance delivers mail."
          {...form.getInputProps('email')}
          autoFocus={!form.isTouched('who')}
        />
      )}
    </ApiForm>
  )
}

/** Shows a new invitation link, once. */
export function InviteLink({ of: { link, warning, mailedTo }, onDone }: { of: NewLink; onDone: () => void }) {
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
      <ShownOnce name="invitation link" text={link} className="row" outputClassName={`mono ${classes.link}`} />
    </section>
  )
}
