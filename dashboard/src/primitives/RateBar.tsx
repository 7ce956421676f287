import { percentOf } from '../lib/format.ts'
import { wilson } from '../lib/wilson.ts'
import classes from './RateBar.module.css'

/** A share as a bar. */
export const PartBar = ({ value, total }: { value: number; total: number }) => (
  <span className={classes.bar} aria-hidden>
    <i style={{ width: `${total > 0 ? Math.min(100, (100 * value) / total) : 0}%` }} />
  </span>
)

/**
 * A rate as a point with its 95 % confidence interval.
 * @param max the rate at the right end, as a fraction
 */
export function RateInterval({
  value,
  total,
  max,
  isBest,
}: {
  value: number
  total: number
  max: number
  isBest: boolean
}) {
  const { low, high } = wilson(value, total)
  const at = (rate: number) => `${max > 0 ? Math.min(100, (100 * rate) / max) : 0}%`
  const text =
    total > 0
      ? `${percentOf(value, total)}, between ${(100 * low).toFixed(1)}% and ${(100 * high).toFixed(1)}%`
      : 'No data'
  return (
    <span className={classes.range} role="img" aria-label={text} title={text}>
      <i className={isBest ? 'c-ok' : 'c-mute'} style={{ left: at(low), width: `calc(${at(high)} - ${at(low)})` }} />
      <b className={isBest ? 'c-ok' : 'c-mute'} style={{ left: at(total > 0 ? value / total : 0) }} />
    </span>
  )
}
