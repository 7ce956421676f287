import classes from './Bars.module.css'

/** A bar of a chart. */
export interface Bar {
  /** Below the bar, if there is space. */
  label: string
  value: number
  /** A second value, drawn over the bar. */
  part?: number
  /** Above the bar, such as "29.1%". */
  text: string
  /** The whole fact, such as "Week of 3 Aug: 26.1%, 120 of 460". */
  title: string
  /** Whether the value may still grow: the bar is hollow. */
  isOpen?: boolean
}

/** With more bars, only every fourth part of them has a label, and only the highest has its text. */
const MAX_LABELS = 16

/** A bar chart. Screen readers get its facts as a list. */
export function Bars({
  label,
  bars,
  tone = 'ok',
}: {
  label: string
  bars: readonly Bar[]
  /** A color class of base.css. */
  tone?: 'ok' | 'accent'
}) {
  const max = Math.max(...bars.map(({ value, part = 0 }) => Math.max(value, part)), 0)
  const isDense = bars.length > MAX_LABELS
  const labelled = isDense ? Math.ceil(bars.length / 4) : 1
  const highest = bars.findIndex(({ value }) => value === max && max > 0)
  const height = (value: number) => ({ height: `${max > 0 ? (100 * value) / max : 0}%` })
  return (
    <ol
      className={`${classes.chart} c-${tone}`}
      aria-label={label}
      data-dense={isDense || undefined}
      data-parts={bars.some(({ part }) => part !== undefined) || undefined}
    >
      {bars.map(({ label: name, value, part, text, title, isOpen }, n) => (
        <li key={title} title={title} aria-label={title}>
          <span aria-hidden className={classes.text}>
            {(!isDense || n === highest) && text}
          </span>
          <i aria-hidden data-open={isOpen || undefined} style={height(value)} />
          {part !== undefined && part > 0 && <i aria-hidden data-part style={height(part)} />}
          <span aria-hidden className={classes.label}>
            {n % labelled === 0 && name}
          </span>
        </li>
      ))}
    </ol>
  )
}
