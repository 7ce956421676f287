import { TextInput, UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { useListName, useSegmentName } from '../../api/queries.ts'
import { count } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { AUTOMATION_STATUS, type AutomationStatus } from '../../components/StatusBadge.tsx'
import { Page } from '../../layout/Page.tsx'
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
  const tab = (value: AutomationStatus | undefined, word: string) => {
    const number = found?.filter(({ automation }) => value === undefined || statusOf(automation) === value).length
    if (value !== undefined && number === 0 && status !== value) return null
    return (
      <UnstyledButton
        key={word}
        aria-pressed={status === value}
        className="tab"
        onClick={() => void navigate({ search: { ...(value && { status: value }), ...(q && { q }) }, replace: true })}
      >
        {word} {number !== undefined && <span className="t3">{count(number)}</span>}
      </UnstyledButton>
    )
  }
  return (
    <Page title="Automations" actions={<NewAutomationButton />}>
      <div className="tabs">
        {tab(undefined, 'All')}
        {STATUSES.map((value) => tab(value, AUTOMATION_STATUS[value].label))}
        <TextInput
          ref={filter}
          className={classes.filter}
          aria-label="Filter by name or trigger"
          placeholder="Filter by name or trigger"
          leftSection={<IconSearch aria-hidden />}
          rightSection={<kbd>/</kbd>}
          value={q}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ search: { ...(status && { status }), ...(value && { q: value }) }, replace: true })
          }
        />
      </div>
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
