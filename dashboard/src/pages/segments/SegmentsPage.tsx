import { Button } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconFilter, IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { SegmentCount } from '../../components/SegmentCount.tsx'
import { ConfirmDelete } from '../../components/ConfirmDelete.tsx'
import { plural } from '../../lib/format.ts'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Page } from '../../layout/Page.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { readPages } from '../../api/queries.ts'
import { describeCondition } from '../../components/conditions/describe-condition.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'

type Segment = Schemas['Segment']

const SegmentForm = lazy(async () => ({ default: (await import('./SegmentForm.tsx')).SegmentForm }))

export function SegmentsPage() {
  const canEdit = useHasRole('editor')
  const [editing, setEditing] = useState<Segment | 'new'>()
  // One form at a time: another would discard what was typed.
  useHotkeys([['n', () => canEdit && setEditing((now) => now ?? 'new')]])
  const { data, error, refetch } = useWorkspaceQuery(['segments', 'page'], (api, signal) =>
    readPages((query) => api.GET('/segments', { params: { query }, signal })),
  )
  const { workspace } = useWorkspace()
  const columns = useColumns(editing === undefined ? setEditing : undefined)
  const newSegment = (
    <Button
      variant="filled"
      leftSection={<IconPlus aria-hidden />}
      disabled={editing !== undefined}
      onClick={() => setEditing('new')}
    >
      New segment
    </Button>
  )
  return (
    <Page title="Segments" actions={canEdit && newSegment}>
      {editing !== undefined && (
        <Suspense fallback={<SkeletonRows rows={4} />}>
          <SegmentForm
            key={editing === 'new' ? 'new' : editing.id}
            segment={editing === 'new' ? undefined : editing}
            onDone={() => setEditing(undefined)}
          />
        </Suspense>
      )}
      <DataTable<Segment>
        label="Segments"
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        idOf={({ id }) => id}
        columns={columns}
        link={({ id }, title) => (
          <Link to="/w/$workspaceId/contacts" params={{ workspaceId: workspace.id }} search={{ segmentId: id }}>
            {title}
          </Link>
        )}
        {...(canEdit && { keys: [['N', 'New segment']] as const })}
        total={data && plural(data.length, 'segment')}
        empty={
          editing === undefined && (
            <EmptyPage icon={IconFilter} title="No segments yet" action={canEdit && newSegment}>
              A segment is a condition. Contacts enter and leave it as they match.
            </EmptyPage>
          )
        }
      />
    </Page>
  )
}

/** The columns of the list of segments. @param onEdit is missing while a form is open */
function useColumns(onEdit: ((segment: Segment) => void) | undefined): Column<Segment>[] {
  const canEdit = useHasRole('editor')
  const names = useConditionNames()
  const [removing, setRemoving] = useState<string>()
  const columns: Column<Segment>[] = [
    { id: 'name', head: 'Name', phone: 'title', cell: ({ name }) => <span className="strong">{name}</span> },
    {
      id: 'condition',
      head: 'Condition',
      cell: ({ condition }) => <span className="t2">{describeCondition(condition, names)}</span>,
    },
    {
      id: 'contacts',
      head: 'Contacts',
      isNumber: true,
      phone: 'number',
      cell: ({ id }) => (
        <strong>
          <SegmentCount segmentId={id} />
        </strong>
      ),
    },
    timeColumn({ head: 'Updated', at: ({ updatedAt }) => updatedAt }),
  ]
  if (!canEdit) return columns
  const actions: Column<Segment> = {
    id: 'actions',
    head: 'Actions',
    isNumber: true,
    phone: 'about',
    cell: (segment) =>
      removing === segment.id ? (
        <ConfirmDeleteSegment segment={segment} onDone={() => setRemoving(undefined)} />
      ) : (
        <>
          <Button
            variant="subtle"
            color="gray"
            aria-label={`Edit ${segment.name}`}
            disabled={!onEdit}
            onClick={() => onEdit?.(segment)}
          >
            Edit
          </Button>
          <Button
            variant="subtle"
            color="gray"
            aria-label={`Delete ${segment.name}…`}
            disabled={!onEdit}
            onClick={() => setRemoving(segment.id)}
          >
            Delete…
          </Button>
        </>
      ),
  }
  return [...columns, actions]
}

function ConfirmDeleteSegment({ segment: { id }, onDone }: { segment: Segment; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  return (
    <ConfirmDelete
      object="segment"
      path={`/segments/${id}`}
      description="Its contacts are not deleted."
      action={() =>
        api.DELETE('/segments/{id}', { params: { path: { id } } }).finally(() => void invalidate('segments'))
      }
      onDone={onDone}
    />
  )
}
