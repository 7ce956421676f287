import { dateOf, fullDate } from '../lib/format.ts'

const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

/** A sentence of the API, with its times in the user's time zone. */
export const SentenceWithTimes = ({ of, isShort = false }: { of: string; isShort?: boolean }) => (
  <>{of.replaceAll(TIMES, (time) => (isShort ? dateOf : fullDate)(new Date(time)))}</>
)
