import { Button, SegmentedControl } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useSegments } from '../../../api/queries.ts'
import { useWorkspace } from '../../../api/workspace.tsx'
import { SearchableSelect } from '../../../components/SearchableSelect.tsx'
import type { Rehearsal } from './queries.ts'
import { RehearsalError } from '../RehearsalError.tsx'
import classes from '../rehearsal.module.css'
import { contentOf, DAYS, supposedBodyOf, type Rehearsed, type Supposed } from '../scenario.ts'
import { SupposedEvents } from '../SupposedEvents.tsx'
import { AudienceResult } from './AudienceResult.tsx'

const REPLAY_DAYS = 30

const STARTS = [
  { value: 'now', label: 'Everyone enters now' },
  { value: 'replay', label: `Replay the last ${REPLAY_DAYS} days` },
] as const

/** Rehearses the automation for all contacts or a segment, in the background. */
export function AudienceRehearsal({
  automationId,
  rehearsed,
  kind,
  supposed,
  onSupposed,
  rehearsalId,
  onStarted,
}: {
  automationId: string
  rehearsed: Rehearsed
  kind: ReactNode
  supposed: Supposed
  onSupposed: (supposed: Supposed) => void
  /** The rehearsal whose result is shown. */
  rehearsalId: string | undefined
  onStarted: (rehearsalId: string) => void
}) {
  const { api } = useWorkspace()
  const segments = useSegments()
  const [segmentId, setSegmentId] = useState<string | null>(null)
  const [start, setStart] = useState<(typeof STARTS)[number]['value']>('now')
  const rehearse = useMutation({
    async mutationFn() {
      const body = {
        ...contentOf(rehearsed),
        ...(segmentId !== null && { segmentId }),
        ...(start === 'replay' ? { replayDays: REPLAY_DAYS } : {}),
        days: DAYS,
        ...supposedBodyOf(supposed, 'audience'),
      }
      const { data } = await api.POST('/automations/{id}/rehearse', { params: { path: { id: automationId } }, body })
      // Without a contact, it is the beginning of a job.
      return data.data as Rehearsal
    },
    onSuccess: ({ id }) => onStarted(id),
  })
  return (
    <>
      <div className={classes.setup}>
        {kind}
        <SearchableSelect
          aria-label="Audience"
          placeholder="All contacts"
          clearable
          data={segments ?? []}
          value={segmentId}
          onChange={setSegmentId}
        />
        <SegmentedControl
          className={classes.start}
          aria-label="Start"
          data={[...STARTS]}
          value={start}
          onChange={setStart}
        />
        <SupposedEvents
          rehearsedFor="audience"
          enrolledBy={rehearsed.enrolledBy}
          supposed={supposed}
          onChange={onSupposed}
        />
        <Button variant="filled" loading={rehearse.isPending} onClick={() => rehearse.mutate()}>
          Rehearse for an audience
        </Button>
        <p className={`t2 ${classes.said}`}>Nothing is sent. Results are kept for 7 days.</p>
      </div>
      {rehearse.error && <RehearsalError error={rehearse.error} automationId={automationId} rehearsed={rehearsed} />}
      {rehearsalId !== undefined && (
        <AudienceResult
          key={rehearsalId}
          id={rehearsalId}
          rehearsed={rehearsed}
          again={
            <Button loading={rehearse.isPending} onClick={() => rehearse.mutate()}>
              Rehearse again
            </Button>
          }
        />
      )}
    </>
  )
}
