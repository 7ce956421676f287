import { TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { useListName, useSegmentName } from '../../api/queries.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { AUTOMATION_STATUS, type AutomationStatus } from '../../components/StatusBadge.tsx'
import { Page } from '../../layout/Page.tsx'
import { ViewTabs } from '../../primitives/ViewTabs.tsx'
import classes from './automations.module.css'
import { AutomationsTable } from './AutomationsTable.tsx'
import { NewAutomationButton } from './NewAutomationButton.tsx'
import { statusOf, useAutomations } from './use-automations.ts'
import { TRIGGERS, triggerOf } from './triggers.ts'

const STATUSES: readonly AutomationStatus[] = ['ACTIVE', 'PAUSED', 'DRAFT', 'ARCHIVED']

export function AutomationsPage() {
  const { status, q = '' } = useSearch({ from: '/w/$workspaceId/automations' })
  const navigate = useNavigate({ from: '/w/$workspaceId/automations' })
  const filter = useRef<HTMLInputElement>(null)
  useHotkeys([['/', () => filter.current?.focus()]])
  const { rows, error, refetch } = useAutomations()
  const [listName, segmentName] = [useListName(), useSegmentName()]
  const nameOf = (id: string) => listName(id) ?? segmentName(id)
  const query = q.trim().toLowerCase()
  const found = rows?.filter(({ automation }) => {
    const starts = TRIGGERS[triggerOf(automation)].label(automation.triggerConfig, nameOf)
    return `${automation.name} ${starts}`.toLowerCase().includes(query)
  })
  const shown = found?.filter(({ automation }) => status === undefined || statusOf(automation) === status)
  const countOf = (value: AutomationStatus) => found?.filter(({ automation }) => statusOf(automation) === value).length
  const views = [
    { id: 'ALL' as const, label: 'All', count: found?.length },
    ...STATUSES.filter((value) => countOf(value) !== 0 || status === value).map((value) => ({
      id: value,
      label: AUTOMATION_STATUS[value].label,
      count: countOf(value),
    })),
  ]
  return (
    <Page title="Automations" actions={<NewAutomationButton />}>
      <ViewTabs
        label="Status"
        views={views}
        value={status ?? 'ALL'}
        onChange={(value) =>
          void navigate({ search: { ...(value !== 'ALL' && { status: value }), ...(q && { q }) }, replace: true })
        }
      >
        <TextInput
          ref={filter}
          className={classes.filter}
          aria-label="Filter by name or trigger"
          placeholder="Filter by name or trigger"
          leftSection={<IconSearch aria-hidden />}
          rightSection={<kbd aria-hidden>/</kbd>}
          value={q}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ search: { ...(status && { status }), ...(value && { q: value }) }, replace: true })
          }
        />
      </ViewTabs>
      {error && <ErrorBanner error={error} onRetry={refetch} />}
      {!rows && !error && <SkeletonRows rows={8} height={44} />}
      {rows?.length === 0 && (
        <p className="t2">Automations send a series of emails when something happens. Create your first one.</p>
      )}
      {rows && rows.length > 0 && shown?.length === 0 && <p className="t2">No automations match these filters.</p>}
      {shown && shown.length > 0 && <AutomationsTable rows={shown} nameOf={nameOf} />}
    </Page>
  )
}
