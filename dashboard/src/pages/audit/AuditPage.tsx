import { SegmentedControl } from '@mantine/core'
import { IconKey, IconTerminal2, IconUser, type TablerIcon } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useCursorList } from '../../api/cursor-list.ts'
import { useHasRole } from '../../api/workspace.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { AuditObject } from './AuditObject.tsx'
import { operationLabel } from './operations.ts'
import { Page } from '../../layout/Page.tsx'

type Actor = Schemas['AuditEntry']['actor']

const ICONS: Record<Actor, TablerIcon> = { person: IconUser, key: IconKey, 'command line': IconTerminal2 }

export function AuditPage() {
  const isOwner = useHasRole('owner')
  const { by } = useSearch({ from: '/w/$workspaceId/audit' })
  const navigate = useNavigate({ from: '/w/$workspaceId/audit' })
  const {
    rows: entries,
    error,
    refetch,
    nextPage,
  } = useCursorList(
    ['audit', by],
    async (api, page, signal) =>
      (await api.GET('/audit', { params: { query: { ...page, ...(by && { actor: by }) } }, signal })).data,
    { enabled: isOwner },
  )
  if (!isOwner)
    return (
      <Page title="Audit log" narrow>
        <p className="t2">Only owners can view the audit log.</p>
      </Page>
    )
  return (
    <Page
      title="Audit log"
      narrow
      actions={
        <SegmentedControl
          aria-label="Actor"
          value={by ?? 'all'}
          onChange={(value) => void navigate({ search: value === 'all' ? {} : { by: value }, replace: true })}
          data={[
            { value: 'all', label: 'All' },
            { value: 'person', label: 'People' },
            { value: 'key', label: 'API keys' },
            { value: 'command line', label: 'Command line' },
          ]}
        />
      }
    >
      {error && <ErrorBanner error={error} onRetry={refetch} />}
      {!entries && !error && <SkeletonRows rows={10} />}
      {entries?.length === 0 && <p className="t2">No activity yet.</p>}
      {entries && entries.length > 0 && (
        <table className="table stacked">
          <thead>
            <tr>
              <th>Time</th>
              <th>Actor</th>
              <th>Action</th>
              <th>Object</th>
              <th className="wide">Request ID</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(({ id, actor, actorName, operation, targetId, requestId, createdAt }) => {
              const Icon = ICONS[actor]
              return (
                <tr key={id}>
                  <td className="t2" data-cell="number">
                    <Time at={createdAt} as="date" />
                  </td>
                  <td data-cell="about">
                    <span className="row">
                      <Icon aria-label={actor} role="img" />
                      {actorName}
                    </span>
                  </td>
                  <td className="strong" data-cell="title">
                    {operationLabel(operation)}
                  </td>
                  <td data-cell="about">{targetId !== null && <AuditObject operation={operation} id={targetId} />}</td>
                  <td className="mono t3 wide">{requestId}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
      <LoadMoreButton of={nextPage} />
      <p className="small t3" style={{ marginTop: 16 }}>
        Actions of members are kept for 400 days, actions of API keys for 30 days.
      </p>
    </Page>
  )
}
