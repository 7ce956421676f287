import classes from './Bars.module.css'

/** A bar of a chart. */
export interface Bar {
  /** Below the bar, if there is space. */
  label: string
  value: number
  /** Above the bar, such as "29.1%". */
  text: string
  /** The whole fact, such as "Week of 3 Aug: 26.1%, 120 of 460". */
  title: string
  /** Whether the value may still grow: the bar is hollow. */
  isOpen?: boolean
}

/** Labels are left out if there are more bars. */
const MAX_LABELS = 16

/** A bar chart of a few values. Screen readers get its facts as a list. */
export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const max = Math.max(...bars.map(({ value }) => value), 0)
  const hasLabels = bars.length <= MAX_LABELS
  return (
    <ol className={classes.chart} aria-label={label}>
      {bars.map(({ label: name, value, text, title, isOpen }) => (
        <li key={title} title={title} aria-label={title}>
          <span aria-hidden className={classes.text}>
            {hasLabels && text}
          </span>
          <i aria-hidden data-open={isOpen || undefined} style={{ height: `${max > 0 ? (100 * value) / max : 0}%` }} />
          <span aria-hidden className={classes.label}>
            {hasLabels && name}
          </span>
        </li>
      ))}
    </ol>
  )
}
