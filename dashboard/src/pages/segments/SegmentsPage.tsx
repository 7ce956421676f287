import { Button, VisuallyHidden } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useMay, useRead, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { Delete } from '../../parts/Delete.tsx'
import { count } from '../../parts/numbers.ts'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Time } from '../../parts/Time.tsx'
import { Page, Part } from '../../shell/Page.tsx'
import { readPages, useListNames } from '../../api/reads.ts'
import { inWords } from './condition.ts'
import { SegmentForm } from './SegmentForm.tsx'

/** Saved conditions: whoever they are true for at the moment. */
export function SegmentsPage() {
  const may = useMay('editor')
  const [editing, setEditing] = useState<Schemas['Segment'] | 'new'>()
  // One at a time: another one would take the place of what was typed.
  useHotkeys([['n', () => may && setEditing((now) => now ?? 'new')]])
  const { data, error, refetch } = useRead(['segments', 'page'], (api, signal) =>
    readPages((query) => api.GET('/segments', { params: { query }, signal })),
  )
  return (
    <Page
      title="Segments"
      narrow
      actions={
        may && (
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
        <SegmentForm
          key={editing === 'new' ? 'new' : editing.id}
          segment={editing === 'new' ? undefined : editing}
          onDone={() => setEditing(undefined)}
        />
      )}
      <Part title="Segments" beside={data && count(data.length)}>
        {error && <Problem error={error} again={() => void refetch()} />}
        {!data && !error && <Rows rows={4} />}
        {data?.length === 0 && (
          <p className="t2">
            No segment yet. It is a saved condition: nobody is put in or taken out, whoever it is true for is in it.
          </p>
        )}
        {data && data.length > 0 && (
          <Table segments={data} may={may} onEdit={editing === undefined ? setEditing : undefined} />
        )}
      </Part>
    </Page>
  )
}

function Table({
  segments,
  may,
  onEdit,
}: {
  segments: readonly Schemas['Segment'][]
  may: boolean
  onEdit: ((segment: Schemas['Segment']) => void) | undefined
}) {
  const { workspace } = useWorkspace()
  const listName = useListNames()
  const [removing, setRemoving] = useState<string>()
  return (
    <table className="table">
      <thead>
        <tr>
          <th>Name</th>
          <th className="wide">Who</th>
          <th className="num wide">Changed</th>
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
            <td className="wide t2">{inWords(segment.condition, listName)}</td>
            <td className="num wide t2">
              <Time at={segment.updatedAt} />
            </td>
            <td className="num">
              {may &&
                (removing === segment.id ? (
                  <Remove segment={segment} onDone={() => setRemoving(undefined)} />
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

function Remove({ segment: { id }, onDone }: { segment: Schemas['Segment']; onDone: () => void }) {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  return (
    <Delete
      what="segment"
      path={`/segments/${id}`}
      says="Its contacts stay."
      call={() => api.DELETE('/segments/{id}', { params: { path: { id } } }).finally(() => void readAgain('segments'))}
      onDone={onDone}
    />
  )
}
