import { useEffect, useRef } from 'react'

/** Milliseconds over which the rate is the mean. */
const WINDOW_MS = 120_000
/** Milliseconds before a rate is shown. */
const MIN_MS = 10_000

/** Returns how many recipients are done in a minute, as seen by this page; undefined until it is known. */
export function useSendRate(done: number, at: number): number | undefined {
  const samples = useRef<{ at: number; done: number }[]>([])
  useEffect(() => {
    samples.current = [...samples.current.filter((sample) => sample.at > at - WINDOW_MS), { at, done }]
  }, [at, done])
  const first = samples.current.find((sample) => sample.at > at - WINDOW_MS)
  if (!first || at - first.at < MIN_MS) return undefined
  return ((done - first.done) * 60_000) / (at - first.at)
}
