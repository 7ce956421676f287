import { Button, Select, TextInput } from '@mantine/core'
import { useDebouncedState, useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useCursorList } from '../../api/cursor-list.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { Page } from '../../layout/Page.tsx'
import { AskButton } from '../../primitives/AskButton.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { NewSuppressionForm } from './NewSuppression.tsx'
import { REASON_LABELS, REASONS } from './reasons.ts'

type Suppression = Schemas['Suppression']

const PAUSE_MS = 400

export function SuppressionsPage() {
  const canEdit = useHasRole('editor')
  const { reason } = useSearch({ from: '/w/$workspaceId/suppressions' })
  const navigate = useNavigate({ from: '/w/$workspaceId/suppressions' })
  const [isCreating, { open, close }] = useDisclosure()
  const [email, setEmail] = useDebouncedState('', PAUSE_MS)
  const { rows, error, refetch, nextPage } = useCursorList(
    ['suppressions', reason, email],
    async (api, page, signal) => {
      const query = { ...page, ...(reason && { reason }), ...(email !== '' && { email }) }
      return (await api.GET('/suppressions', { params: { query }, signal })).data
    },
  )
  return (
    <Page
      title="Suppressions"
      narrow
      actions={
        <>
          <TextInput
            aria-label="Search by email"
            placeholder="Exact email"
            w={190}
            onChange={({ currentTarget: { value } }) => setEmail(value.trim())}
          />
          <Select
            aria-label="Reason"
            w={190}
            value={reason ?? 'all'}
            allowDeselect={false}
            onChange={(value) => {
              const chosen = REASONS.find((each) => each === value)
              void navigate({ search: chosen ? { reason: chosen } : {}, replace: true })
            }}
            data={[
              { value: 'all', label: 'Any reason' },
              ...REASONS.map((value) => ({ value, label: REASON_LABELS[value] })),
            ]}
          />
          {canEdit && (
            <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={open}>
              {' '}
              Add suppression
            </Button>
          )}
        </>
      }
    >
      {isCreating && <NewSuppressionForm onDone={close} />}
      <DataTable<Suppression>
        label="Suppressions"
        rows={rows}
        error={error}
        onRetry={refetch}
        idOf={({ id }) => id}
        columns={columnsFor(canEdit)}
        empty={
          <p className="t2">
            {email === '' && !reason
              ? 'Unsubscribes, spam complaints and hard bounces appear here.'
              : 'No suppressions match these filters.'}
          </p>
        }
      />
      <LoadMoreButton of={nextPage} />
    </Page>
  )
}

const columnsFor = (canEdit: boolean): readonly Column<Suppression>[] => [
  {
    id: 'email',
    head: 'Email',
    phone: 'title',
    cell: ({ email }) => <span className="strong">{email ?? <span className="t3">Erased (hash only)</span>}</span>,
  },
  { id: 'reason', head: 'Reason', phone: 'about', cell: ({ reason }) => REASON_LABELS[reason] },
  { id: 'note', head: 'Note', wraps: true, cell: ({ note }) => <span className="t2">{note}</span> },
  timeColumn({ head: 'Added', at: ({ createdAt }) => createdAt, as: 'date' }, { isNumber: true, phone: 'number' }),
  ...(canEdit
    ? [
        {
          id: 'actions',
          head: 'Actions',
          hidesHead: true,
          isNumber: true,
          phone: 'actions' as const,
          cell: (suppression: Suppression) => <RemoveButton suppression={suppression} />,
        },
      ]
    : []),
]

/** Asks for confirmation: sending to people who opted out leads to blocklisting. */
function RemoveButton({ suppression: { id, email, reason } }: { suppression: Suppression }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const isOptOut = reason === 'UNSUBSCRIBED' || reason === 'COMPLAINED' || reason === 'IMPORTED'
  return (
    <AskButton
      label="Remove…"
      name={`Remove ${email}…`}
      confirmLabel="Remove suppression"
      path={`/suppressions/${id}`}
      description={`${isOptOut ? 'Only do this if the person asked to hear from you again.' : 'This address will be emailed again.'} Stopped automations won’t restart.`}
      action={async () => {
        await api.DELETE('/suppressions/{id}', { params: { path: { id } } })
        void invalidate('suppressions')
      }}
    />
  )
}
