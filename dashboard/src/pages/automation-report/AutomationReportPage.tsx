import { NumberInput } from '@mantine/core'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { AUTOMATION_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { ReputationWarnings } from '../../components/ReputationWarnings.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Page } from '../../layout/Page.tsx'
import { ToList } from '../../layout/ToList.tsx'
import { AutomationViews } from '../builder/AutomationViews.tsx'
import { draftOf } from '../builder/draft.ts'
import { indexTree } from '../builder/step-tree.ts'
import { Branches } from './Branches.tsx'
import { ConversionCharts, Versions } from './ConversionCharts.tsx'
import { EmailsTable } from './EmailsTable.tsx'
import { Figures, Headline } from './Headline.tsx'
import { StepContacts } from './StepContacts.tsx'
import { StepsTable } from './StepsTable.tsx'

/** Days after the enrollment in which a goal counts, unless the URL says otherwise. */
const DEFAULT_WINDOW = 14

/** How an automation works: its enrollments, goal, steps and emails. */
export function AutomationReportPage() {
  const { automationId } = useParams({ from: '/w/$workspaceId/automations/$automationId/report' })
  const { data: automation, error } = useWorkspaceQuery(
    ['automations', automationId],
    async (api, signal) =>
      (await api.GET('/automations/{id}', { params: { path: { id: automationId } }, signal })).data.data,
  )
  const search = useSearch({ from: '/w/$workspaceId/automations/$automationId/report' })
  const { step } = search
  return (
    <Page
      parent={<ToList list="automations">Automations</ToList>}
      title={automation?.name ?? 'Automation'}
      meta={automation && <StatusBadge status={AUTOMATION_STATUS[automation.status]} />}
      actions={<AutomationViews automationId={automationId} value="report" />}
      aside={
        automation && step !== undefined ? <StepContacts key={step} automation={automation} stepId={step} /> : undefined
      }
    >
      {error && <ErrorBanner error={error} />}
      {!automation && !error && <SkeletonRows />}
      {automation && <Report automation={automation} />}
    </Page>
  )
}

function Report({ automation }: { automation: Schemas['Automation'] }) {
  const { id } = automation
  const navigate = useNavigate({ from: '/w/$workspaceId/automations/$automationId/report' })
  const search = useSearch({ from: '/w/$workspaceId/automations/$automationId/report' })
  const { window: windowDays = DEFAULT_WINDOW } = search
  const path = { id }
  const { data: stats, error } = useWorkspaceQuery(
    ['automations', id, 'stats'],
    async (api, signal) => (await api.GET('/automations/{id}/stats', { params: { path }, signal })).data.data,
    { refetchMs: 10_000 },
  )
  const { data: report, error: reportError } = useWorkspaceQuery(
    ['automations', id, 'report'],
    async (api, signal) => (await api.GET('/automations/{id}/report', { params: { path }, signal })).data.data,
    { refetchMs: 10_000 },
  )
  const { data: conversion, error: conversionError } = useWorkspaceQuery(
    ['automations', id, 'conversion', windowDays],
    async (api, signal) =>
      (await api.GET('/automations/{id}/conversion', { params: { path, query: { windowDays } }, signal })).data.data,
    { keepPrevious: true },
  )
  const sequence = useMemo(() => draftOf(automation), [automation])
  const tree = useMemo(() => indexTree(sequence.steps), [sequence.steps])
  const failure = error ?? reportError ?? conversionError
  if (failure) return <ErrorBanner error={failure} />
  if (!stats || !report) return <SkeletonRows />
  return (
    <>
      <Headline stats={stats} hasGoal={automation.goal !== null} />
      {automation.goal !== null && (
        <GoalWindow
          key={windowDays}
          days={windowDays}
          onChange={(window) => void navigate({ search: { ...search, window }, replace: true })}
        />
      )}
      <Figures results={report.total} conversion={automation.goal === null ? undefined : conversion} />
      <ReputationWarnings findings={report.reputation} />
      <StepsTable
        sequence={sequence}
        tree={tree}
        stats={stats}
        report={report}
        selected={search.step}
        onSelect={(step) => void navigate({ search: { ...search, step }, replace: true })}
      />
      {automation.goal !== null && conversion && conversion.enrolled > 0 && <ConversionCharts of={conversion} />}
      <EmailsTable tree={tree} report={report} />
      {automation.goal !== null && conversion && <Branches of={conversion} tree={tree} />}
      {automation.goal !== null && conversion && <Versions of={conversion} />}
    </>
  )
}

const MAX_WINDOW = 365

/** The days in which a goal counts. A number out of range is corrected when the field is left. */
function GoalWindow({ days, onChange }: { days: number; onChange: (days: number) => void }) {
  const [typed, setTyped] = useState<number | string>(days)
  return (
    <NumberInput
      label="Count goals reached within"
      suffix=" days"
      min={1}
      max={MAX_WINDOW}
      allowDecimal={false}
      w={140}
      value={typed}
      onChange={setTyped}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
      onBlur={() => {
        const wanted = typeof typed === 'number' ? Math.min(MAX_WINDOW, Math.max(1, typed)) : days
        setTyped(wanted)
        if (wanted !== days) onChange(wanted)
      }}
    />
  )
}
