import type { Schemas } from '../../api/client.ts'
import { count, plural } from '../../lib/format.ts'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'

/** What came of a campaign's A/B test: each variant, how many did what, and which one the rest gets. */
export function AbTestResult({ test }: { test: NonNullable<Schemas['Campaign']['abTest']> }) {
  const { variants, winner, decidesAt, testPercent, winnerBy, afterMinutes } = test
  return (
    <Section title="A/B test">
      <table className="table">
        <thead>
          <tr>
            <th>Subject</th>
            <th className="num">Sent</th>
            <th className="num">Opened</th>
            <th className="num">Clicked</th>
          </tr>
        </thead>
        <tbody>
          {variants.map(({ subject, sent, opened, clicked }, n) => (
            <tr key={n}>
              <td className={n === winner ? 'strong' : 't2'}>
                {subject ?? 'Without a subject'}
                {n === winner && ' (the best)'}
              </td>
              <td className="num">{count(sent)}</td>
              <td className="num">{count(opened)}</td>
              <td className="num">{count(clicked)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {testPercent < 100 && winner !== null && (
        <p className="small t2">
          The rest gets the best one too, and counts in its row: it has less time since, so that the rows are not to be
          compared any more.
        </p>
      )}
      {testPercent < 100 && winner === null && (
        <p className="small t2">
          {decidesAt === null ? (
            `${testPercent} of a hundred are in it. The rest is decided by who has ${winnerBy === 'OPENED' ? 'opened it' : 'followed a link'}, ${plural(afterMinutes, 'minute')} after these are sent.`
          ) : (
            <>
              The rest is decided <Time at={decidesAt} as="date" />.
            </>
          )}
        </p>
      )}
    </Section>
  )
}
