import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Schemas } from '../../api/client.ts'
import { useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Section } from '../../layout/Page.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { roleLabel } from './roles.ts'

type Invitation = Schemas['Invitation']

/** The invitations that are not used yet. */
export function PendingInvitations() {
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
  const columns: readonly Column<Invitation>[] = [
    {
      id: 'email',
      head: 'Email',
      phone: 'title',
      cell: ({ email }) => email ?? <span className="t2">Anyone with the link</span>,
    },
    { id: 'role', head: 'Role', phone: 'about', cell: ({ role }) => <span className="t2">{roleLabel(role)}</span> },
    timeColumn({ head: 'Expires', at: ({ expiresAt }) => expiresAt }, { phone: 'number' }),
    {
      id: 'actions',
      head: 'Actions',
      hidesHead: true,
      isNumber: true,
      phone: 'state',
      cell: ({ id, email }) => (
        <Button
          variant="subtle"
          color="gray"
          aria-label={`Revoke invitation ${email === null ? 'link' : `of ${email}`}`}
          onClick={() => revoke.mutate(id)}
        >
          Revoke
        </Button>
      ),
    },
  ]
  return (
    <Section title="Pending invitations" meta={data.length}>
      {revoke.isError && <ErrorBanner error={revoke.error} scrollsIntoView />}
      <DataTable<Invitation>
        label="Pending invitations"
        rows={data}
        idOf={({ id }) => id}
        columns={columns}
        empty={null}
      />
    </Section>
  )
}
