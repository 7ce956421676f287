import { Button, SegmentedControl } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { EDITED_KEY } from '../../api/query-client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { AUTOMATION_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { Page } from '../../layout/Page.tsx'
import { ToList } from '../../layout/ToList.tsx'
import { AutomationViews } from '../builder/AutomationViews.tsx'
import { loadAutomation } from '../builder/load-automation.ts'
import { findProblem } from '../builder/problems.ts'
import { AudienceRehearsal } from './audience/AudienceRehearsal.tsx'
import { ForContact } from './ForContact.tsx'
import { ROUTE } from './route.ts'
import classes from './rehearsal.module.css'
import { DraftProblem } from './RehearsalError.tsx'
import { currentVersionOf, NOTHING_SUPPOSED, rehearsedOf } from './scenario.ts'

const KINDS = [
  { value: 'contact', label: 'Contact' },
  { value: 'audience', label: 'Audience' },
] as const

/** Shows what an automation would do, on a virtual clock: for a contact or for an audience. Nothing is sent. */
export function RehearsalPage() {
  const { automationId } = useParams({ from: ROUTE })
  const { data, error, refetch, dataUpdatedAt } = useWorkspaceQuery(
    [EDITED_KEY, automationId, 'rehearsed'],
    (api, signal) => loadAutomation(api, automationId, signal),
    { once: true },
  )
  const search = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: ROUTE })
  const show = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  const [supposed, setSupposed] = useState(NOTHING_SUPPOSED)
  const isAudience = search.for === 'audience'
  const kind = (
    <SegmentedControl
      aria-label="Rehearse for"
      data={[...KINDS]}
      value={isAudience ? 'audience' : 'contact'}
      onChange={(value) => show({ for: value === 'audience' ? value : undefined })}
    />
  )
  const problem = data && findProblem(data.sequence)
  const version = useMemo(() => data && currentVersionOf(data), [data])
  const isVersionComplete = version !== undefined && !findProblem(version.sequence)
  const ofVersion = problem !== undefined && isVersionComplete && search.of === 'version'
  const rehearsed = useMemo(() => (ofVersion ? version : data && rehearsedOf(data)), [data, ofVersion, version])
  const isComplete = problem === undefined || ofVersion
  return (
    <Page
      parent={<ToList list="automations">Automations</ToList>}
      title={data?.automation.name ?? 'Automation'}
      meta={
        data && (
          <>
            <StatusBadge status={AUTOMATION_STATUS[data.automation.status]} />
            <span className="small t3">{rehearsed?.name}</span>
          </>
        )
      }
      actions={
        <>
          <AutomationViews automationId={automationId} value="rehearse" />
          {!isAudience && (
            <Button
              variant="filled"
              leftSection={<IconRefresh size={14} aria-hidden />}
              disabled={!isComplete}
              title={isComplete ? undefined : 'The draft is not complete'}
              onClick={() => void refetch()}
            >
              Run again
            </Button>
          )}
        </>
      }
      isFull
    >
      <div className={classes.page}>
        {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
        {!data && !error && <SkeletonRows />}
        {problem && (
          <DraftProblem
            automationId={automationId}
            problem={problem}
            action={
              isVersionComplete &&
              !ofVersion && <Button onClick={() => show({ of: 'version' })}>Rehearse version {version.version}</Button>
            }
          />
        )}
        {rehearsed && isComplete && !isAudience && (
          <ForContact
            automationId={automationId}
            rehearsed={rehearsed}
            revision={dataUpdatedAt}
            kind={kind}
            supposed={supposed}
            onSupposed={setSupposed}
          />
        )}
        {rehearsed && isComplete && isAudience && (
          <AudienceRehearsal
            automationId={automationId}
            rehearsed={rehearsed}
            kind={kind}
            supposed={supposed}
            onSupposed={setSupposed}
            rehearsalId={search.rehearsal}
            onStarted={(started) =>
              show({ rehearsal: started, page: undefined, row: undefined, difference: undefined })
            }
          />
        )}
      </div>
    </Page>
  )
}
