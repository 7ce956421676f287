import type { Schemas } from '../../../api/client.ts'
import { Time } from '../../../components/Time.tsx'
import { Section } from '../../../layout/Page.tsx'
import { count, percentOf, plural, points } from '../../../lib/format.ts'
import { differenceOf, wilson } from '../../../lib/wilson.ts'
import { type Column, DataTable } from '../../../primitives/DataTable.tsx'
import { RateInterval } from '../../../primitives/RateBar.tsx'
import { letterOf } from '../composer/AbTestFields.tsx'

type Test = NonNullable<Schemas['Campaign']['abTest']>

/** The results of an A/B test: the rate of each variant with its interval, and whether there is a winner. */
export function AbTestResult({
  test,
  variants: results,
}: {
  test: Test
  variants: Schemas['CampaignReport']['variants']
}) {
  const { variants, winner, winnerBy } = test
  const rows = variants.map(({ subject, sent, opened, clicked }, n) => {
    const delivered = results.find(({ variant }) => variant === n)?.delivered ?? sent
    return { n, subject, delivered, opened, clicked, chosen: winnerBy === 'OPENED' ? opened : clicked }
  })
  const best = rows.toSorted((a, b) => rateOf(b) - rateOf(a))[0]!
  const max = Math.max(...rows.map(({ chosen, delivered }) => (delivered > 0 ? wilson(chosen, delivered).high : 0)))
  const columns: readonly Column<VariantRow>[] = [
    {
      id: 'variant',
      head: 'Variant',
      phone: 'title',
      wraps: true,
      cell: ({ n, subject }) => (
        <span className={n === winner ? 'strong' : ''}>
          <span className="code">{letterOf(n)}</span> {subject ?? 'No subject'}
          {n === winner && ' (winner)'}
        </span>
      ),
    },
    { id: 'delivered', head: 'Delivered', isNumber: true, cell: ({ delivered }) => count(delivered) },
    {
      id: 'open',
      head: 'Open rate',
      isNumber: true,
      phone: 'figure',
      cell: ({ opened, delivered }) => (
        <span className={winnerBy === 'OPENED' ? 'strong' : ''} title={plural(opened, 'open')}>
          {percentOf(opened, delivered) || '–'}
        </span>
      ),
    },
    {
      id: 'click',
      head: 'Click rate',
      isNumber: true,
      phone: 'figure',
      cell: ({ clicked, delivered }) => (
        <span className={winnerBy === 'CLICKED' ? 'strong' : ''} title={plural(clicked, 'click')}>
          {percentOf(clicked, delivered) || '–'}
        </span>
      ),
    },
    {
      id: 'interval',
      head: '95% interval',
      hidesHead: true,
      cell: ({ n, chosen, delivered }) => (
        <span style={{ display: 'block', minWidth: 120 }}>
          <RateInterval value={chosen} total={delivered} max={max} isBest={n === best.n} />
        </span>
      ),
    },
  ]
  return (
    <Section
      title="A/B test: subject"
      meta={winner === null ? undefined : `${letterOf(winner)} was sent to the others`}
    >
      <DataTable<VariantRow> label="Variants" rows={rows} idOf={({ n }) => String(n)} columns={columns} empty={null} />
      <p className="small t2" style={{ marginTop: 8 }}>
        {verdictOf(rows, best, winnerBy)} <Schedule test={test} />
      </p>
    </Section>
  )
}

interface Row {
  n: number
  delivered: number
  chosen: number
}

interface VariantRow extends Row {
  subject: string | null
  opened: number
  clicked: number
}

const rateOf = ({ chosen, delivered }: Row): number => (delivered > 0 ? chosen / delivered : 0)

/** A variant wins if the interval of its difference to each other one is above 0. */
function verdictOf(rows: readonly Row[], best: Row, winnerBy: Test['winnerBy']): string {
  if (rows.some(({ delivered }) => delivered === 0)) return 'No results yet.'
  const of = ({ chosen, delivered }: Row) => ({ value: chosen, total: delivered })
  const gaps = rows.filter(({ n }) => n !== best.n).map((row) => differenceOf(of(row), of(best)))
  const closest = gaps.toSorted((a, b) => a.low - b.low)[0]!
  const rate = winnerBy === 'OPENED' ? 'open rate' : 'click rate'
  const interval = `95% interval: ${points(closest.low)} to ${points(closest.high)}`
  return closest.low > 0
    ? `The ${rate} of ${letterOf(best.n)} is ${(100 * closest.difference).toFixed(1)} points higher (${interval}).`
    : `No clear winner: the difference in ${rate} may be chance (${interval}).`
}

/** When the winner is chosen, and for whom. */
function Schedule({ test: { testPercent, winner, decidesAt, winnerBy, afterMinutes } }: { test: Test }) {
  if (testPercent === 100) return null
  if (winner !== null) return 'The row of the winner includes the rest of the audience.'
  if (decidesAt === null)
    return `Testing on ${testPercent}% of the audience. The subject with the higher ${winnerBy === 'OPENED' ? 'open' : 'click'} rate is sent to the others ${plural(Math.round(afterMinutes / 60), 'hour')} after the test.`
  return (
    <>
      The winner is chosen <Time at={decidesAt} as="date" />.
    </>
  )
}
