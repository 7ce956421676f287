import type { Schemas } from '../../api/client.ts'
import { count, plural } from '../../lib/format.ts'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'

/** The results of an A/B test by variant. */
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
                {subject ?? 'No subject'}
                {n === winner && ' (winner)'}
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
          The winner’s row now includes the rest of the audience, so the variants are no longer comparable.
        </p>
      )}
      {testPercent < 100 && winner === null && (
        <p className="small t2">
          {decidesAt === null ? (
            `Testing on ${testPercent}% of the audience. The variant with the higher ${winnerBy === 'OPENED' ? 'open' : 'click'} rate wins, ${plural(afterMinutes, 'minute')} after the test was sent.`
          ) : (
            <>
              The winner is chosen <Time at={decidesAt} as="date" />.
            </>
          )}
        </p>
      )}
    </Section>
  )
}
