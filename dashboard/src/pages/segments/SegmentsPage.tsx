import { Button } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconFilter, IconPlus } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { Suspense } from 'react'
import type { Schemas } from '../../api/client.ts'
import { readPages } from '../../api/queries.ts'
import { useHasRole, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { describeCondition } from '../../components/conditions/describe-condition.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { SegmentCount } from '../../components/SegmentCount.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { FirstUse } from '../../components/UsedIn.tsx'
import { Page } from '../../layout/Page.tsx'
import { plural } from '../../lib/format.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { lazyPart } from '../../lib/load-with-retry.ts'

type Segment = Schemas['ListedSegment']

const SegmentForm = lazyPart(async () => (await import('./SegmentForm.tsx')).SegmentForm)

/** Lists segments, with their conditions in words and what uses them. */
export function SegmentsPage() {
  const { workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const navigate = useNavigate()
  const [isCreating, { open, close }] = useDisclosure()
  useHotkeys([['n', () => canEdit && open()]])
  const { data, error, refetch } = useWorkspaceQuery(['segments', 'page'], (api, signal) =>
    readPages((query) => api.GET('/segments', { params: { query }, signal })),
  )
  const show = (segmentId: string) =>
    void navigate({
      to: '/w/$workspaceId/segments/$segmentId',
      params: { workspaceId: workspace.id, segmentId },
      ignoreBlocker: true,
    })
  const newSegment = (
    <Button variant="filled" leftSection={<IconPlus aria-hidden />} disabled={isCreating} onClick={open}>
      New segment
    </Button>
  )
  return (
    <Page title="Segments" actions={canEdit && newSegment}>
      {isCreating && (
        <Suspense fallback={<SkeletonRows rows={4} />}>
          <SegmentForm onCreated={show} onCancel={close} />
        </Suspense>
      )}
      <DataTable<Segment>
        label="Segments"
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        idOf={({ id }) => id}
        columns={useColumns()}
        link={({ id }, title) => (
          <Link to="/w/$workspaceId/segments/$segmentId" params={{ workspaceId: workspace.id, segmentId: id }}>
            {title}
          </Link>
        )}
        {...(canEdit && { keys: [['N', 'New segment']] as const })}
        total={data && plural(data.length, 'segment')}
        empty={
          !isCreating && (
            <EmptyPage icon={IconFilter} title="No segments yet" action={canEdit && newSegment}>
              A segment is a condition. Contacts enter and leave it as they match.
            </EmptyPage>
          )
        }
      />
    </Page>
  )
}

function useColumns(): Column<Segment>[] {
  const names = useConditionNames()
  return [
    {
      id: 'name',
      head: 'Segment',
      phone: 'title',
      wraps: true,
      cell: ({ name, condition }) => (
        <>
          <span className="strong">{name}</span>
          <span className="small t2 wide" style={{ display: 'block' }}>
            {describeCondition(condition, names)}
          </span>
        </>
      ),
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
    { id: 'uses', head: 'Used in', phone: 'about', cell: ({ usedIn }) => <FirstUse uses={usedIn} /> },
    timeColumn({ head: 'Updated', at: ({ updatedAt }) => updatedAt }),
  ]
}
