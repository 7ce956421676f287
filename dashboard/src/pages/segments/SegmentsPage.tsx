import { Button, VisuallyHidden } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ConfirmDelete } from '../../components/ConfirmDelete.tsx'
import { count } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { readPages } from '../../api/queries.ts'
import { describeCondition } from '../../components/conditions/describe-condition.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'

const SegmentForm = lazy(async () => ({ default: (await import('./SegmentForm.tsx')).SegmentForm }))

export function SegmentsPage() {
  const canEdit = useHasRole('editor')
  const [editing, setEditing] = useState<Schemas['Segment'] | 'new'>()
  // One form at a time: another would discard what was typed.
  useHotkeys([['n', () => canEdit && setEditing((now) => now ?? 'new')]])
  const { data, error, refetch } = useWorkspaceQuery(['segments', 'page'], (api, signal) =>
    readPages((query) => api.GET('/segments', { params: { query }, signal })),
  )
  return (
    <Page
      title="Segments"
      narrow
      actions={
        canEdit && (
          <Button
            variant="filled"
            leftSection={<IconPlus aria-hidden />}
            disabled={editing !== undefined}
            onClick={() => setEditing('new')}
          >
            New segment
          </Button>
        )
      }
    >
      {editing !== undefined && (
        <Suspense fallback={<SkeletonRows rows={4} />}>
          <SegmentForm
            key={editing === 'new' ? 'new' : editing.id}
            segment={editing === 'new' ? undefined : editing}
            onDone={() => setEditing(undefined)}
          />
        </Suspense>
      )}
      <Section title="Segments" meta={data && count(data.length)}>
        {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
        {!data && !error && <SkeletonRows rows={4} />}
        {data?.length === 0 && (
          <p className="t2">Segments update automatically as contacts match your conditions. Create your first one.</p>
        )}
        {data && data.length > 0 && (
          <Table segments={data} canEdit={canEdit} onEdit={editing === undefined ? setEditing : undefined} />
        )}
      </Section>
    </Page>
  )
}

function Table({
  segments,
  canEdit,
  onEdit,
}: {
  segments: readonly Schemas['Segment'][]
  canEdit: boolean
  onEdit: ((segment: Schemas['Segment']) => void) | undefined
}) {
  const { workspace } = useWorkspace()
  const names = useConditionNames()
  const [removing, setRemoving] = useState<string>()
  return (
    <table className="table">
      <thead>
        <tr>
          <th>Name</th>
          <th className="wide">Condition</th>
          <th className="num wide">Updated</th>
          <th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {segments.map((segment) => (
          <tr key={segment.id}>
            <td className="strong">
              <Link
                to="/w/$workspaceId/contacts"
                params={{ workspaceId: workspace.id }}
                search={{ segmentId: segment.id }}
              >
                {segment.name}
              </Link>
            </td>
            <td className="wide t2">{describeCondition(segment.condition, names)}</td>
            <td className="num wide t2">
              <Time at={segment.updatedAt} />
            </td>
            <td className="num">
              {canEdit &&
                (removing === segment.id ? (
                  <ConfirmDeleteSegment segment={segment} onDone={() => setRemoving(undefined)} />
                ) : (
                  <>
                    <Button variant="subtle" color="gray" disabled={!onEdit} onClick={() => onEdit?.(segment)}>
                      Edit
                    </Button>
                    <Button variant="subtle" color="gray" disabled={!onEdit} onClick={() => setRemoving(segment.id)}>
                      Delete…
                    </Button>
                  </>
                ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function ConfirmDeleteSegment({ segment: { id }, onDone }: { segment: Schemas['Segment']; onDone: () => void }) {
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
