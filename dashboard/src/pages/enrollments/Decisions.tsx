import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { SentenceWithTimes } from '../../components/SentenceWithTimes.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import classes from './enrollments.module.css'

/** Lists the decisions of an enrollment, most recent first. */
export function Decisions({ enrollment: { id, contactId } }: { enrollment: Schemas['Enrollment'] }) {
  const { data, error } = useWorkspaceQuery(
    ['contacts', contactId, 'decisions', id],
    async (api, signal) => {
      const params = { path: { id: contactId }, query: { enrollmentId: id, limit: 100 } }
      return (await api.GET('/contacts/{id}/decisions', { params, signal })).data.data
    },
    { refetchMs: 10_000 },
  )
  if (error) return <ErrorBanner error={error} />
  if (!data) return <SkeletonRows rows={2} />
  if (data.length === 0) return <p className="t2">No decisions yet. Emails that were sent are in Messages.</p>
  return (
    <ol className={classes.decisions}>
      {data.map((decision) => (
        <li key={decision.id}>
          <span className="t3">
            <Time at={decision.at} />
          </span>
          <span>
            {decision.stepName !== null && <strong>{decision.stepName}: </strong>}
            <SentenceWithTimes of={decision.sentence} />
          </span>
        </li>
      ))}
    </ol>
  )
}
