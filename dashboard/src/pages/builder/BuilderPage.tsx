import { Link, useParams } from '@tanstack/react-router'
import { EDITED_KEY } from '../../api/query-client.ts'
import { useWorkspaceQuery, useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Page } from '../../layout/Page.tsx'
import { Builder } from './Builder.tsx'
import { loadAutomation } from './load-automation.ts'

export function BuilderPage() {
  const { automationId } = useParams({ from: '/w/$workspaceId/automations/$automationId' })
  const { workspace } = useWorkspace()
  const { data, error, refetch } = useWorkspaceQuery(
    [EDITED_KEY, automationId],
    (api, signal) => loadAutomation(api, automationId, signal),
    // Never refetched while the user edits: the builder merges changes itself.
    { once: true },
  )
  if (data) return <Builder key={automationId} given={data} />
  return (
    <Page title="Automation">
      {!error && <SkeletonRows />}
      {error && (
        <>
          <ErrorBanner error={error} onRetry={() => void refetch()} />
          <p style={{ marginTop: 16 }}>
            <Link className="link" to="/w/$workspaceId/automations" params={{ workspaceId: workspace.id }}>
              All automations
            </Link>
          </p>
        </>
      )}
    </Page>
  )
}
