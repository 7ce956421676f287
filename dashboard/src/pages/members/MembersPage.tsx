import { ActionIcon, Button, Menu, Select, TextInput, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy, IconDots, IconPlus, IconTrash, IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, Fragment, useState } from 'react'
import { DriplineError, type Schemas } from '../../api/client.ts'
import { type Role, sessionQuery, useSession } from '../../api/session.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import classes from './members.module.css'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

const ROLES: readonly { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: read-only access' },
  { value: 'editor', label: 'Editor: can edit contacts, automations and campaigns' },
  { value: 'owner', label: 'Owner: full access, including API keys, members and settings' },
]
const ROLE_OPTIONS = ROLES.map(({ value }) => ({ value, label: value[0]!.toUpperCase() + value.slice(1) }))

/** A new invitation link, and a warning if it may not work for others. */
interface NewLink {
  link: string
  warning: string | null
}

export function MembersPage() {
  const { workspace } = useWorkspace()
  const isOwner = useHasRole('owner')
  const [isInviting, setInviting] = useState(false)
  const [link, setLink] = useState<NewLink>()
  const { data, error, refetch } = useWorkspaceQuery(
    ['members'],
    async (api, signal) => (await api.GET('/members', { signal })).data.data,
  )
  return (
    <Page
      title="Members"
      narrow
      actions={
        isOwner && (
          <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={() => setInviting(true)}>
            {' '}
            Invite member
          </Button>
        )
      }
    >
      {link !== undefined && <InviteLink of={link} onDone={() => setLink(undefined)} />}
      {isInviting && (
        <InviteForm
          onCreated={(made) => {
            setLink(made)
            setInviting(false)
          }}
          onCancel={() => setInviting(false)}
        />
      )}
      <Section title={`Members of ${workspace.name}`} meta={data?.length}>
        {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
        {!data && !error && <SkeletonRows rows={3} />}
        {data && <MembersTable members={data} isOwner={isOwner} />}
      </Section>
      {isOwner && <PendingInvitations />}
    </Page>
  )
}

function InviteForm({ onCreated, onCancel }: { onCreated: (link: NewLink) => void; onCancel: () => void }) {
  useReturnFocus()
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [role, setRole] = useState<Role>('editor')
  const [email, setEmail] = useState('')
  const invite = useMutation({
    mutationFn: async (): Promise<NewLink> => {
      const { data, response } = await api.POST('/invitations', { body: { role, ...(email !== '' && { email }) } })
      return { link: data.data.link, warning: response.headers.get('x-warning') }
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
        description="Leave empty to let anyone with the link join."
        value={email}
        error={param === '/email' && invite.error?.message}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
        autoFocus
      />
      <div className="row">
        <Button type="submit" variant="filled" loading={invite.isPending}>
          Create invitation link
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={invite.isPending}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function InviteLink({ of: { link, warning }, onDone }: { of: NewLink; onDone: () => void }) {
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
        Copy the link and send it yourself; Dripline doesn’t email it. It works once, expires in 7 days and won’t be
        shown again.
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

function MembersTable({ members, isOwner }: { members: readonly Schemas['Member'][]; isOwner: boolean }) {
  const { api } = useWorkspace()
  const { data: session } = useSession()
  const client = useQueryClient()
  const invalidate = useInvalidate()
  const [removing, setRemoving] = useState<string>()
  const settle = async () => {
    await Promise.all([invalidate('members'), client.invalidateQueries({ queryKey: sessionQuery.queryKey })])
  }
  const change = useMutation({
    mutationFn: ({ id, role }: { id: string; role: Role }) =>
      api.PATCH('/members/{id}', { params: { path: { id } }, body: { role } }),
    onSuccess: settle,
  })
  const remove = useMutation({
    mutationFn: (id: string) => api.DELETE('/members/{id}', { params: { path: { id } } }),
    async onSuccess() {
      setRemoving(undefined)
      await settle()
    },
  })
  return (
    <>
      {change.isError && <ErrorBanner error={change.error} scrollsIntoView />}
      <table className="table">
        <thead>
          <tr>
            <th>Email</th>
            <th>Role</th>
            <th className="wide">Joined</th>
            <th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map(({ id, email, role, createdAt }) => {
            const isMe = id === session?.account.id
            return (
              <Fragment key={id}>
                <tr>
                  <td className="strong">
                    {email} {isMe && <span className="t3">(you)</span>}
                  </td>
                  <td>
                    {isOwner ? (
                      <Select
                        aria-label={`Role of ${email}`}
                        allowDeselect={false}
                        w={120}
                        data={ROLE_OPTIONS}
                        value={role}
                        onChange={(value) => change.mutate({ id, role: value as Role })}
                      />
                    ) : (
                      ROLE_OPTIONS.find(({ value }) => value === role)?.label
                    )}
                  </td>
                  <td className="wide t2">
                    <Time at={createdAt} />
                  </td>
                  <td className="num">
                    {(isOwner || isMe) && (
                      <Menu>
                        <Menu.Target>
                          <ActionIcon aria-label={`Actions for ${email}`}>
                            <IconDots />
                          </ActionIcon>
                        </Menu.Target>
                        <Menu.Dropdown>
                          <Menu.Item leftSection={<IconTrash aria-hidden />} onClick={() => setRemoving(id)}>
                            {isMe ? 'Leave…' : 'Remove…'}
                          </Menu.Item>
                        </Menu.Dropdown>
                      </Menu>
                    )}
                  </td>
                </tr>
                {removing === id && (
                  <tr>
                    <td colSpan={4}>
                      <div
                        className={`${classes.ask} c-bad`}
                        role="group"
                        aria-label={isMe ? 'Leave workspace' : 'Remove member'}
                      >
                        <h3>{isMe ? 'Leave this workspace?' : `Remove ${email}?`}</h3>
                        <p className="t2">
                          {isMe ? 'You lose' : 'They lose'} access immediately. Everything {isMe ? 'you' : 'they'}{' '}
                          created stays. An owner can invite {isMe ? 'you' : 'them'} again.
                        </p>
                        {remove.isError && <ErrorBanner error={remove.error} scrollsIntoView />}
                        <div className="row">
                          <Button
                            variant="filled"
                            color="bad"
                            onClick={() => remove.mutate(id)}
                            loading={remove.isPending}
                          >
                            {isMe ? 'Leave workspace' : 'Remove member'}
                          </Button>
                          <Button variant="subtle" color="gray" onClick={() => setRemoving(undefined)}>
                            {' '}
                            Cancel
                          </Button>
                        </div>
                      </div>
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </>
  )
}

function PendingInvitations() {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const { data } = useWorkspaceQuery(
    ['invitations'],
    async (api_, signal) => (await api_.GET('/invitations', { signal })).data.data,
  )
  const revoke = useMutation({
    mutationFn: (id: string) => api.DELETE('/invitations/{id}', { params: { path: { id } } }),
    onSettled: () => invalidate('invitations'),
  })
  if (!data || data.length === 0) return null
  return (
    <Section title="Pending invitations" meta={data.length}>
      {revoke.isError && <ErrorBanner error={revoke.error} scrollsIntoView />}
      <table className="table">
        <tbody>
          {data.map(({ id, email, role, expiresAt }) => (
            <tr key={id}>
              <td>{email ?? <span className="t2">Anyone with the link</span>}</td>
              <td className="t2">{ROLE_OPTIONS.find(({ value }) => value === role)?.label}</td>
              <td className="t2">
                expires <Time at={expiresAt} />
              </td>
              <td className="num">
                <Button variant="subtle" color="gray" onClick={() => revoke.mutate(id)}>
                  Revoke
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}
