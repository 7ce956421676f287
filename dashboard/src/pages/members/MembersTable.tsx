import { ActionIcon, Button, Menu, Select } from '@mantine/core'
import { IconDots, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { type Role, sessionQuery, useSession } from '../../api/session.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { roleLabel, ROLE_OPTIONS } from './roles.ts'
import classes from './members.module.css'

type Member = Schemas['Member']

/** The members of the workspace. Owners change roles and remove members, and each member can leave. */
export function MembersTable({ members, isOwner }: { members: readonly Member[]; isOwner: boolean }) {
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
  const isMe = ({ id }: Member) => id === session?.account.id
  const columns: readonly Column<Member>[] = [
    {
      id: 'email',
      head: 'Email',
      phone: 'title',
      cell: (member) => (
        <span className="strong">
          {member.email} {isMe(member) && <span className="t3">(you)</span>}
        </span>
      ),
    },
    {
      id: 'role',
      head: 'Role',
      phone: 'about',
      cell: ({ id, email, role }) =>
        isOwner ? (
          <Select
            aria-label={`Role of ${email}`}
            allowDeselect={false}
            w={120}
            data={ROLE_OPTIONS}
            value={role}
            onChange={(value) => change.mutate({ id, role: value as Role })}
          />
        ) : (
          roleLabel(role)
        ),
    },
    timeColumn({ head: 'Joined', at: ({ createdAt }) => createdAt }, {}),
    {
      id: 'actions',
      head: 'Actions',
      hidesHead: true,
      isNumber: true,
      phone: 'state',
      cell: (member) =>
        (isOwner || isMe(member)) && (
          <Menu>
            <Menu.Target>
              <ActionIcon aria-label={`Actions for ${member.email}`}>
                <IconDots />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconTrash aria-hidden />} onClick={() => setRemoving(member.id)}>
                {isMe(member) ? 'Leave…' : 'Remove…'}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ),
    },
  ]
  const confirmRemoval = (member: Member) => {
    const me = isMe(member)
    return (
      <div className={`${classes.ask} c-bad`} role="group" aria-label={me ? 'Leave workspace' : 'Remove member'}>
        <h3>{me ? 'Leave this workspace?' : `Remove ${member.email}?`}</h3>
        <p className="t2">
          {me
            ? 'You lose access immediately. Everything you created stays. An owner can invite you again.'
            : 'They lose access immediately. Everything they created stays. An owner can invite them again.'}
        </p>
        {remove.isError && <ErrorBanner error={remove.error} scrollsIntoView />}
        <div className="row">
          <Button variant="filled" color="bad" onClick={() => remove.mutate(member.id)} loading={remove.isPending}>
            {me ? 'Leave workspace' : 'Remove member'}
          </Button>
          <Button variant="subtle" color="gray" onClick={() => setRemoving(undefined)}>
            Cancel
          </Button>
        </div>
      </div>
    )
  }
  return (
    <>
      {change.isError && <ErrorBanner error={change.error} scrollsIntoView />}
      <DataTable<Member>
        label="Members"
        rows={members}
        idOf={({ id }) => id}
        columns={columns}
        below={(member) => removing === member.id && confirmRemoval(member)}
        empty={null}
      />
    </>
  )
}
