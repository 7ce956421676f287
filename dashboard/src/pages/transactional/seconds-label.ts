import { duration } from '../../lib/format.ts'

/** Formats seconds as "0.6 s", or as minutes from one on. */
export const secondsLabel = (seconds: number): string =>
  seconds < 60 ? `${seconds.toFixed(1)} s` : duration(Math.round(seconds / 60))
