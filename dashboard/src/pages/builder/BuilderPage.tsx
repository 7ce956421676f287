import { Link, useParams } from '@tanstack/react-router'
import { OPENED } from '../../api/queries.ts'
import { useRead, useWorkspace } from '../../api/workspace.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Page } from '../../shell/Page.tsx'
import { Builder } from './Builder.tsx'
import { readOpened } from './opened.ts'

/** An automation: edited, and with its numbers. */
export function BuilderPage() {
  const { automationId } = useParams({ from: '/w/$workspaceId/automations/$automationId' })
  const { workspace } = useWorkspace()
  const { data, error, refetch } = useRead(
    [OPENED, automationId],
    (api, signal) => readOpened(api, automationId, signal),
    // What is edited is not read anew under somebody's hands: the builder itself does so, where it knows how.
    { once: true },
  )
  if (data) return <Builder key={automationId} given={data} />
  return (
    <Page title="Automation">
      {!error && <Rows />}
      {error && (
        <>
          <Problem error={error} again={() => void refetch()} />
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
