import { Select } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useCursorList } from '../../api/cursor-list.ts'
import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { ContactLink } from '../../components/ContactLink.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { ConfirmRemoval } from '../../components/RemoveFromAutomation.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { ENROLLMENT_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { NextStepTime } from '../../components/Time.tsx'
import { Page } from '../../layout/Page.tsx'
import { useAutomations } from '../automations/use-automations.ts'
import { indexTree } from '../builder/step-tree.ts'
import { STEP_TYPES } from '../builder/step-types.ts'
import { readSteps } from '../builder/steps.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { lazyPart } from '../../lib/load-with-retry.ts'
import { EnrollmentMenu } from './EnrollmentMenu.tsx'
import classes from './enrollments.module.css'

const Decisions = lazyPart(async () => (await import('./Decisions.tsx')).Decisions)

type Enrollment = Schemas['Enrollment']
export const ENROLLMENT_STATUSES = ['ACTIVE', 'COMPLETED', 'GOAL_REACHED', 'EXITED', 'STOPPED', 'CANCELLED'] as const
export type EnrollmentSearch = {
  automationId?: string
  stepId?: string
  status?: (typeof ENROLLMENT_STATUSES)[number]
}

/** Lists the enrollments of an automation. */
export function EnrollmentsPage() {
  const { rows, error } = useAutomations()
  const search = useSearch({ from: '/w/$workspaceId/enrollments' })
  // Defaults to the automation with the most active contacts.
  const busiest = rows?.toSorted((a, b) => (b.stats?.active ?? 0) - (a.stats?.active ?? 0))[0]
  // Chosen once, so that the table does not change while the user reads it.
  const [first, setFirst] = useState<string>()
  if (first === undefined && busiest?.stats) setFirst(busiest.automation.id)
  const automationId = search.automationId ?? first ?? busiest?.automation.id
  return (
    <Page title="Enrollments">
      {error && <ErrorBanner error={error} />}
      {!rows && !error && <SkeletonRows />}
      {rows?.length === 0 && <p className="t2">No contacts in automations yet. Create an automation first.</p>}
      {rows && automationId !== undefined && (
        <AutomationEnrollments
          key={automationId}
          automationId={automationId}
          search={search}
          names={rows.map(({ automation }) => ({ value: automation.id, label: automation.name }))}
        />
      )}
    </Page>
  )
}

function AutomationEnrollments({
  automationId,
  search,
  names,
}: {
  automationId: string
  search: EnrollmentSearch
  names: { value: string; label: string }[]
}) {
  const navigate = useNavigate({ from: '/w/$workspaceId/enrollments' })
  const set = (fields: EnrollmentSearch) =>
    void navigate({ search: { automationId, ...search, ...fields }, replace: true })
  const { data: automation } = useWorkspaceQuery(
    ['automations', automationId],
    async (api, signal) =>
      (await api.GET('/automations/{id}', { params: { path: { id: automationId } }, signal })).data.data,
  )
  const tree = automation && indexTree(readSteps(automation.steps) ?? [])
  const steps = tree?.order.flatMap((id) => {
    const { step, number } = tree.find(id) ?? {}
    if (!step || step.type === 'WAIT') return []
    const name = step.name ?? (step.type === 'EMAIL' ? step.subject || 'No subject' : STEP_TYPES[step.type].label)
    return [{ value: id, label: `${number}. ${name}` }]
  })
  return (
    <>
      <div className={classes.filters}>
        <SearchableSelect
          aria-label="Automation"
          onFocus={({ currentTarget }) => currentTarget.select()}
          data={names}
          value={automationId}
          onChange={(value) => value && void navigate({ search: { automationId: value }, replace: true })}
        />
        <Select
          aria-label="Next step"
          placeholder="Any next step"
          clearable
          data={steps ?? []}
          value={search.stepId ?? null}
          onChange={(value) => set(value === null ? { stepId: undefined! } : { stepId: value, status: 'ACTIVE' })}
        />
        <Select
          aria-label="Status"
          placeholder="Any status"
          clearable
          data={ENROLLMENT_STATUSES.map((value) => ({ value, label: ENROLLMENT_STATUS[value].label }))}
          value={search.status ?? null}
          onChange={(value) => set({ status: (value ?? undefined)!, stepId: undefined! })}
        />
      </div>
      <EnrollmentTable
        automationId={automationId}
        automation={automation}
        search={search}
        steps={new Map(steps?.map((each) => [each.value, each.label]))}
      />
    </>
  )
}

function EnrollmentTable({
  automationId,
  automation,
  search: { status, stepId },
  steps,
}: {
  automationId: string
  automation: Schemas['Automation'] | undefined
  search: EnrollmentSearch
  steps: ReadonlyMap<string, string>
}) {
  const { rows, error, refetch, nextPage } = useCursorList(
    ['enrollments', automationId, status, stepId],
    async (api, page, signal) => {
      // Active enrollments are sorted by their next step: paused and overdue ones come first.
      const sort = status === 'ACTIVE' ? ('next' as const) : ('entered' as const)
      const query = { ...page, sort, ...(status && { status }), ...(stepId && { stepId }) }
      const params = { path: { id: automationId }, query }
      return (await api.GET('/automations/{id}/enrollments', { params, signal })).data
    },
    { refetchMs: 10_000 },
  )
  // The enrollment that shows something below its row.
  const [open, setOpen] = useState<{ id: string; shows: 'decisions' | 'removal' }>()
  const close = () => setOpen(undefined)
  const columns: readonly Column<Enrollment>[] = [
    {
      id: 'contact',
      head: 'Contact',
      phone: 'title',
      cell: ({ contactId }) => (
        <span className={`strong ${classes.contact}`}>
          <ContactLink contactId={contactId} />
        </span>
      ),
    },
    {
      id: 'status',
      head: 'Status',
      phone: 'state',
      cell: ({ paused, status: now }) => <StatusBadge status={ENROLLMENT_STATUS[paused ? 'PAUSED' : now]} />,
    },
    {
      id: 'continues',
      head: 'Continues',
      phone: 'number',
      cell: ({ paused, status: now, nextAt }) => (
        <span className="t2">
          {paused ? 'When the automation resumes' : now === 'ACTIVE' ? <NextStepTime at={nextAt} /> : '–'}
        </span>
      ),
    },
    {
      id: 'next',
      head: 'Next step',
      phone: 'about',
      cell: ({ nextStepId }) => <span className="t2">{(nextStepId !== null && steps.get(nextStepId)) || '–'}</span>,
    },
    timeColumn({ head: 'Enrolled', at: ({ enrolledAt }) => enrolledAt, as: 'date' }),
    {
      id: 'actions',
      head: 'Actions',
      hidesHead: true,
      isNumber: true,
      phone: 'actions',
      cell: (enrollment) => (
        <EnrollmentMenu
          enrollment={enrollment}
          automation={automation}
          showsDecisions={open?.id === enrollment.id && open.shows === 'decisions'}
          onDecisions={(isShown) => setOpen(isShown ? { id: enrollment.id, shows: 'decisions' } : undefined)}
          onRemove={() => setOpen({ id: enrollment.id, shows: 'removal' })}
        />
      ),
    },
  ]
  return (
    <>
      <DataTable<Enrollment>
        label="Enrollments"
        rows={rows}
        error={error}
        onRetry={refetch}
        idOf={({ id }) => id}
        columns={columns}
        below={(enrollment) => {
          if (enrollment.id !== open?.id) return undefined
          if (open.shows === 'removal')
            return <ConfirmRemoval automationId={automationId} contactId={enrollment.contactId} onDone={close} />
          return (
            <Suspense fallback={<SkeletonRows rows={2} />}>
              <Decisions enrollment={enrollment} />
            </Suspense>
          )
        }}
        empty={
          <p className="t2">
            {status || stepId ? 'No enrollments match these filters.' : 'No contacts in this automation yet.'}
          </p>
        }
      />
      <LoadMoreButton of={nextPage} />
    </>
  )
}
