import { Skeleton } from '@mantine/core'
import { useEffect, useState } from 'react'

/** Placeholder rows, shown if loading takes longer than 200 ms. */
export function SkeletonRows({ rows = 6, height = 36 }: { rows?: number; height?: number }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-busy="true" aria-label="Loading" style={{ minHeight: rows * height }}>
      {isLate &&
        Array.from({ length: rows }, (_, n) => (
          <Skeleton key={n} height={12} my={(height - 12) / 2} width={`${90 - ((n * 17) % 40)}%`} />
        ))}
    </div>
  )
}
