import type { Schemas } from '../../api/client.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Section } from '../../layout/Page.tsx'
import { count, plural } from '../../lib/format.ts'
import { useRehearsal } from '../rehearsal/audience/queries.ts'
import { differenceText, notEnrolledText } from '../rehearsal/labels.ts'

/** Shows what a proposed change would do for all contacts. */
export function ProposedRehearsal({ rehearsalId: id }: { rehearsalId: string }) {
  const { data, error, refetch } = useRehearsal(id)
  return (
    <Section title="Rehearsed for all contacts">
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data?.status === 'RUNNING' && (
        <p role="status">
          {count(data.done)} of {plural(data.total, 'contact')} are rehearsed
        </p>
      )}
      {data?.status === 'DONE' && <Found rehearsal={data} />}
      {(data?.status === 'FAILED' || data?.status === 'CANCELLED') && <p>It was not rehearsed.</p>}
    </Section>
  )
}

function Found({ rehearsal: { done, entered, emails, refused, current } }: { rehearsal: Schemas['Rehearsal'] }) {
  const differences = (current?.differences ?? []).filter(({ difference }) => difference !== 0)
  return (
    <>
      <p>
        {entered === 0
          ? `If they entered now, none of ${plural(done, 'contact')} would be enrolled.${reasonOf(refused)}`
          : `If they entered now, ${count(entered)} of ${plural(done, 'contact')} would be enrolled and get ${plural(emails, 'email')}.`}
      </p>
      {current && entered > 0 && differences.length === 0 && (
        <p>All would get the same number of emails as in the current version.</p>
      )}
      {differences.map(({ difference, contacts }) => (
        <p key={difference}>
          {plural(contacts, 'contact')} would get {differenceText(difference)} than in the current version.
        </p>
      ))}
    </>
  )
}

/** The reason that keeps most contacts out. */
function reasonOf(refused: Schemas['Rehearsal']['refused']): string {
  const [most] = refused.toSorted((a, b) => b.contacts - a.contacts)
  const reason = most && notEnrolledText(most.rule)
  return reason === undefined ? '' : ` The most frequent reason: ${reason}.`
}
