import { Button, Progress } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { hasErrorCode } from '../../../api/client.ts'
import { useSegments } from '../../../api/queries.ts'
import { useInvalidate, useWorkspace } from '../../../api/workspace.tsx'
import { ErrorBanner } from '../../../components/ErrorBanner.tsx'
import { Notice } from '../../../components/Notice.tsx'
import { SkeletonRows } from '../../../components/SkeletonRows.tsx'
import { Time } from '../../../components/Time.tsx'
import { count } from '../../../lib/format.ts'
import { Metrics } from '../../../primitives/Metrics.tsx'
import { indexTree } from '../../builder/step-tree.ts'
import { useEmailNames } from '../../builder/use-email-names.ts'
import { isCurrent, type Rehearsed } from '../scenario.ts'
import { Days } from './Days.tsx'
import { Differences } from './Differences.tsx'
import classes from './audience.module.css'
import { GoneRehearsal } from './GoneRehearsal.tsx'
import { type Rehearsal, useRehearsal } from './queries.ts'
import { Reasons } from './Reasons.tsx'
import { RehearsedContacts } from './RehearsedContacts.tsx'
import { StepsTable } from './StepsTable.tsx'

/** The result of a rehearsal for an audience, so far. Only the automation as it is now has names of its steps. */
export function AudienceResult({
  id,
  rehearsed,
  again,
}: {
  id: string
  rehearsed: Rehearsed
  /** The button that rehearses again. */
  again: ReactNode
}) {
  const { data: rehearsal, error, refetch } = useRehearsal(id)
  const tree = useMemo(() => indexTree(rehearsed.sequence.steps), [rehearsed])
  const { names } = useEmailNames(tree)
  if (hasErrorCode(error, 'rehearsal_not_found')) return <GoneRehearsal again={again} />
  if (!rehearsal) return error ? <ErrorBanner error={error} onRetry={() => void refetch()} /> : <SkeletonRows />
  const { status, entered, emails, done } = rehearsal
  const isOutdated = !isCurrent(rehearsal, rehearsed)
  const perContact = entered > 0 ? (emails / entered).toFixed(1) : '–'
  return (
    <div className={classes.result}>
      {error && <ErrorBanner error={error} />}
      <Status rehearsal={rehearsal} />
      <About rehearsal={rehearsal} />
      {isOutdated && (
        <Notice title="The automation has changed since this rehearsal">
          <p className="t2">Results by step are hidden, because the steps may differ.</p>
          {again}
        </Notice>
      )}
      <Metrics
        label="Result"
        metrics={[
          { label: 'Contacts', value: count(done) },
          { label: 'Enrolled', value: count(entered) },
          { label: 'Emails', value: count(emails) },
          { label: 'Emails per contact', value: perContact },
        ]}
      />
      <Differences of={rehearsal} />
      <Days of={rehearsal} />
      {!isOutdated && <StepsTable of={rehearsal} tree={tree} names={names} />}
      <Reasons of={rehearsal} />
      {status !== 'RUNNING' && <RehearsedContacts of={rehearsal} tree={tree} names={names} />}
    </div>
  )
}

/** Describes what was rehearsed, because the settings above may have changed since. */
function About({ rehearsal: { segmentId, isReplay, from, events, createdAt } }: { rehearsal: Rehearsal }) {
  const segments = useSegments()
  const segment = segments?.find(({ value }) => value === segmentId)
  const named = segment ? `Segment ${segment.label}` : segments ? 'A segment that was deleted' : 'A segment'
  return (
    <p className="t2">
      {segmentId === null ? 'All contacts' : named}
      {isReplay && (
        <>
          , replayed since <Time at={from} />
        </>
      )}
      {events.length > 0 && `, with ${events.join(', ')}`}. Rehearsed <Time at={createdAt} />.
    </p>
  )
}

/** The progress, or how the rehearsal ended. */
function Status({ rehearsal: { id, status, done, total, problem } }: { rehearsal: Rehearsal }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const cancel = useMutation({
    mutationFn: () => api.POST('/rehearsals/{id}/cancel', { params: { path: { id } } }),
    onSettled: () => void invalidate('rehearsals', id),
  })
  if (status === 'RUNNING')
    return (
      <div className="card still" role="status">
        <div className="row">
          <p>
            {count(done)} of {count(total)} contacts
          </p>
          <Button className="push" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        </div>
        <Progress value={total > 0 ? Math.min(100, (100 * done) / total) : 0} aria-label="Progress" />
      </div>
    )
  if (status === 'DONE') return null
  return (
    <p className="t2" role="status">
      {status === 'CANCELLED' ? 'Cancelled. These results are incomplete.' : `Failed: ${problem ?? 'unknown reason'}`}
    </p>
  )
}
