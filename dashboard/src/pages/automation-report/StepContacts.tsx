import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useCursorList } from '../../api/cursor-list.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ContactLink } from '../../components/ContactLink.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { NextStepTime } from '../../components/Time.tsx'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { AsidePanel } from '../../primitives/AsidePanel.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { titleOf } from '../builder/describe-step.ts'
import { draftOf } from '../builder/draft.ts'
import { indexTree, listAt } from '../builder/step-tree.ts'

type Enrollment = Schemas['Enrollment']

/** Shows the contacts at a step. */
export function StepContacts({ automation, stepId }: { automation: Schemas['Automation']; stepId: string }) {
  const names = useConditionNames()
  const search = useSearch({ from: '/w/$workspaceId/automations/$automationId/report' })
  const navigate = useNavigate({ from: '/w/$workspaceId/automations/$automationId/report' })
  const { steps } = draftOf(automation)
  const tree = indexTree(steps)
  const found = tree.find(stepId)
  // The API knows the next step that is not a WAIT.
  const next =
    found?.step.type === 'WAIT'
      ? listAt(steps, tree, found.place)
          .slice(found.place.at)
          .find(({ type }) => type !== 'WAIT')
      : found?.step
  return (
    <AsidePanel
      label="Contacts at the step"
      title={found ? titleOf(found.step, names) : 'Removed step'}
      onClose={() => void navigate({ search: search.window ? { window: search.window } : {}, replace: true })}
    >
      {next ? (
        <ContactsBefore automationId={automation.id} stepId={next.id} />
      ) : (
        <p className="t2">
          {found
            ? 'No step follows this wait, so its contacts are not listed.'
            : 'The step is no longer in the automation.'}
        </p>
      )}
    </AsidePanel>
  )
}

/** Lists the contacts whose next step is this one. */
function ContactsBefore({ automationId, stepId }: { automationId: string; stepId: string }) {
  const { workspace } = useWorkspace()
  const { rows, error, refetch, nextPage } = useCursorList(
    ['enrollments', automationId, 'at', stepId],
    async (api, page, signal) => {
      const query = { ...page, sort: 'next' as const, status: 'ACTIVE' as const, stepId }
      const params = { path: { id: automationId }, query }
      return (await api.GET('/automations/{id}/enrollments', { params, signal })).data
    },
    { refetchMs: 10_000 },
  )
  return (
    <>
      <DataTable<Enrollment>
        label="Contacts at the step"
        rows={rows}
        error={error}
        onRetry={refetch}
        idOf={({ id }) => id}
        columns={COLUMNS}
        empty={<p className="t2">No contacts at this step now.</p>}
      />
      <LoadMoreButton of={nextPage} />
      <p style={{ marginTop: 12 }}>
        <Link
          className="link"
          to="/w/$workspaceId/enrollments"
          params={{ workspaceId: workspace.id }}
          search={{ automationId, status: 'ACTIVE', stepId }}
        >
          Open in Enrollments
        </Link>
      </p>
    </>
  )
}

const COLUMNS: readonly Column<Enrollment>[] = [
  {
    id: 'contact',
    head: 'Contact',
    phone: 'title',
    wraps: true,
    cell: ({ contactId }) => (
      <span className="strong">
        <ContactLink contactId={contactId} />
      </span>
    ),
  },
  {
    id: 'continues',
    head: 'Continues',
    isNumber: true,
    phone: 'number',
    cell: ({ paused, nextAt }) => <span className="t2">{paused ? 'Paused' : <NextStepTime at={nextAt} />}</span>,
  },
]
