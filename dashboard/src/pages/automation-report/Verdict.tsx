import type { Schemas } from '../../api/client.ts'
import { points } from '../../lib/format.ts'
import { differenceOf } from '../../lib/wilson.ts'

type Converted = Pick<Schemas['Conversion'], 'counted' | 'reached'>

/** A verdict only if the interval of the difference excludes 0. */
export function Verdict({ of, before }: { of: Converted; before: Converted | undefined }) {
  if (!before) return <span className="t3">Baseline</span>
  if (of.counted === 0 || before.counted === 0) return <span className="t3">Not enough data yet</span>
  const { difference, low, high } = differenceOf(
    { value: before.reached, total: before.counted },
    { value: of.reached, total: of.counted },
  )
  const interval = `${points(difference)} points, between ${points(low)} and ${points(high)}`
  if (low > 0) return <span style={{ color: 'var(--ok)' }}>Better: {interval}</span>
  if (high < 0) return <span style={{ color: 'var(--bad)' }}>Worse: {interval}</span>
  return <span className="t2">Not significant: {interval}</span>
}
