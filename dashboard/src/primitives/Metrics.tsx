import type { ReactNode } from 'react'
import classes from './Metrics.module.css'

export interface Metric {
  label: string
  value: string
  /** The count of a rate, such as "5,302 opened". */
  base?: ReactNode
  /** Explains how it is measured. */
  title?: string
}

/** Figures of one row, in a shared frame. */
export const Metrics = ({ label, metrics }: { label: string; metrics: readonly Metric[] }) => (
  <dl className={classes.tiles} aria-label={label}>
    {metrics.map(({ label: name, value, base, title }) => (
      <div key={name} title={title}>
        <dt>{name}</dt>
        <dd className={classes.figure}>{value}</dd>
        {base !== undefined && <dd className={classes.base}>{base}</dd>}
      </div>
    ))}
  </dl>
)
