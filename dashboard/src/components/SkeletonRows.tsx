import { Skeleton } from '@mantine/core'
import classes from './SkeletonRows.module.css'

/** Placeholder rows, shown if loading takes longer than 200 ms. */
export const SkeletonRows = ({ rows = 6, height = 36 }: { rows?: number; height?: number }) => (
  <div
    role="status"
    aria-busy="true"
    aria-label="Loading"
    className={classes.late}
    style={{ minHeight: rows * height }}
  >
    {Array.from({ length: rows }, (_, n) => (
      <Skeleton key={n} height={12} my={(height - 12) / 2} width={`${90 - ((n * 17) % 40)}%`} />
    ))}
  </div>
)
